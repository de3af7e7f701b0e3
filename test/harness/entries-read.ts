/**
 * What a store reads of a table in PostgreSQL, counted: entries of indexes, those of rows that are gone as well, and rows of a scan.
 * A session tells when it ends at the latest, so the sessions of the store are ended before and after; it opens others.
 */
import type { Client } from 'pg';
import type { Store } from '../../src/store/store.ts';
import { until } from './until.ts';

const OURS = `
  FROM pg_stat_activity
 WHERE datname = current_database() AND application_name LIKE 'bongsu%' AND pid <> pg_backend_pid()`;

export async function entriesRead(
  client: Client,
  store: Pick<Store, 'ping'>,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await entriesReadSoFar(client, store, table);
  await work();
  return (await entriesReadSoFar(client, store, table)) - before;
}

async function entriesReadSoFar(client: Client, store: Pick<Store, 'ping'>, table: string): Promise<number> {
  // What the client itself has read, now rather than within a second.
  await client.query('SELECT pg_stat_force_next_flush()');
  await client.query(`SELECT pg_terminate_backend(pid) ${OURS} AND query NOT ILIKE 'listen%'`);
  await until('the sessions have ended', async () => {
    return (await client.query(`SELECT ${OURS} AND query NOT ILIKE 'listen%'`)).rowCount === 0;
  });
  const { rows } = await client.query(
    `SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = $1)
          + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = $1) AS read`,
    [table],
  );
  await until('the store answers again', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  );
  return Number(rows[0]?.read);
}
