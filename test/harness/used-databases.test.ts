import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { ManualClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreUnderTest } from '../store/contract/store-under-test.ts';
import { sharedPostgres, type TestPostgres } from './postgres.ts';
import { until } from './until.ts';
import { UsedDatabases } from './used-databases.ts';

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

/** The database of a test that does this with it, and has ended. */
async function usedFor(work: (url: string) => Promise<void>): Promise<string> {
  const ends: (() => unknown)[] = [];
  const url = await server.databaseFor({ after: end => void ends.push(end as () => unknown) });
  await work(url);
  await until('its sessions have ended', async () => {
    const [row] = await asked(
      server.url,
      `SELECT FROM pg_stat_activity WHERE '${url}' LIKE '%/' || datname
      AND application_name <> '${UsedDatabases.SESSION}'`,
    );
    return row === undefined;
  });
  for (const end of ends) end();
  return url;
}

async function asked(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('a database is as new when a test gets it that another has used', async () => {
  const used = await usedFor(async url => {
    const clock = new ManualClock();
    const open = () => openPostgresStore({ url, now: () => clock.now() });
    const node = new StoreUnderTest(await open(), clock, open);
    await node.deliver();
    await node.store.close();
    await asked(url, "INSERT INTO form (account, form_id, entries, saved_at) VALUES ('acme', 'F', '[]', 1)");
    await asked(url, "UPDATE index_position SET msg_key = 'x'; DELETE FROM schema_version WHERE version = 1");
    await asked(url, 'INSERT INTO schema_version (version) VALUES (9999)');
  });
  const again = await usedFor(async url => {
    const { structure, rows } = await UsedDatabases.originalOf(url);
    const template = await server.template();
    assert.equal(structure, template.structure);
    const inserts = rows.split(';\n').filter(text => !text.endsWith('NULL)'));
    assert.deepEqual(inserts.sort(), template.rows.split(';\n').sort());
    const numbers = await asked(url, 'SELECT FROM pg_sequences WHERE last_value IS NOT NULL');
    assert.deepEqual(numbers, [], 'no number was given yet');
  });
  assert.equal(again, used);
});

const CHANGES = [
  'CREATE TABLE more (a integer)',
  "CREATE TABLE report_20270101 PARTITION OF report FOR VALUES FROM ('x') TO ('y')",
  'ALTER TABLE job ADD COLUMN more integer',
  'ALTER TABLE account ALTER COLUMN password_hash DROP NOT NULL',
  'ALTER TABLE token DISABLE ROW LEVEL SECURITY',
  'DROP INDEX job_by_deadline',
  'DROP POLICY accounts ON job',
  'ALTER TABLE form DISABLE TRIGGER form_added',
  'GRANT SELECT ON audit TO PUBLIC',
  'REVOKE USAGE ON SCHEMA public FROM PUBLIC',
  'ALTER SEQUENCE audit_id_seq INCREMENT BY 2',
  "CREATE FUNCTION more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
  'CREATE TYPE more AS ENUM ()',
  'TRUNCATE job',
  'ALTER DATABASE :name SET default_transaction_read_only = on',
];

test('every change of the structure is noticed', async t => {
  const url = await server.databaseFor(t);
  const client = new Client(url);
  await client.connect();
  t.after(() => client.end());
  const { structure } = await server.template();
  for (const change of CHANGES) {
    await client.query(`BEGIN; ${change.replace(':name', new URL(url).pathname.slice(1))}`);
    assert.notEqual(await UsedDatabases.structureOf(client), structure, change);
    await client.query('ROLLBACK');
    assert.equal(await UsedDatabases.structureOf(client), structure);
  }
});

for (const [what, text] of [
  ['was changed', 'CREATE TABLE more (a integer)'],
  ['is large', 'INSERT INTO remembered SELECT each, each FROM generate_series(1, 30000) AS each'],
] as const) {
  test(`a database that ${what} is given to no other test`, async () => {
    const used = await usedFor(async url => {
      await asked(url, text);
    });
    assert.notEqual(await usedFor(async () => {}), used);
  });
}

test('a database is given to no other test while somebody uses it', async t => {
  const used = await usedFor(async () => {});
  const client = new Client(used);
  await client.connect();
  t.after(() => client.end());
  assert.notEqual(await usedFor(async () => {}), used);
});
