/** Messages of a day, written into PostgreSQL by itself: through a gateway twenty million would take a day. */
import type { Client } from 'pg';
import { type RequestId, timePrefix } from '../../src/domain/ids.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';

export const DAY_MS = 24 * 3_600_000;
const RECIPIENTS = 1_000;
const REQUESTS_AT_ONCE = 100;
const FLOW = JSON.stringify([
  { channel: 'sms', from: '0212345678', text: 'Dear #{name}, your order has left.' },
]);

export interface Day {
  readonly startsAt: number;
  readonly messages: number;
  /** Whether their texts and words are still there. */
  readonly hasTexts: boolean;
}

/** Migrates, and makes the partitions of that moment. */
export async function openAt(url: string, now: number): Promise<void> {
  await (await openPostgresStore({ url, now: () => now })).close();
}

export async function fillDay(sql: Client, day: Day, tell: (text: string) => void): Promise<void> {
  const requests = Math.ceil(day.messages / RECIPIENTS);
  const account = day.hasTexts ? 'campaign' : 'over';
  // The statements below are long, and nobody waits for them.
  await sql.query(`SET synchronous_commit = off; SET statement_timeout = 0`);
  for (let first = 0; first < requests; first += REQUESTS_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(REQUESTS_AT_ONCE, requests - first) },
      (_, index) => first + index,
    );
    const times = numbers.map(number => day.startsAt + Math.floor((number * DAY_MS) / requests));
    const ids = times.map(
      (at, index) => `${timePrefix(at)}${String(first + index).padStart(19, '0')}` as RequestId,
    );
    await sql.query('BEGIN');
    await sql.query(
      `INSERT INTO request (request_id, account, accepted_at, flow, text_removed_at)
       SELECT id, $3, at, $4, CASE WHEN $5 THEN NULL ELSE at END FROM unnest($1::text[], $2::bigint[]) AS asked (id, at)`,
      [ids, times, account, FLOW, day.hasTexts],
    );
    const messages = `FROM unnest($1::text[], $2::bigint[]) AS asked (id, at)
      CROSS JOIN generate_series(0, ${RECIPIENTS - 1}) AS place`;
    const key = `id || lpad(place::text, 3, '0')`;
    await sql.query(
      `INSERT INTO message (msg_key, account, recipient, words, state, step, finished_at, history)
       SELECT ${key}, $3, '010' || lpad((hashtext(id) & 65535)::text || place, 8, '0'),
              CASE WHEN $4 THEN '{"name":"Kim"}' END, 'delivered', 0, at + 2000, '[]' ${messages}`,
      [ids, times, account, day.hasTexts],
    );
    await sql.query(
      `INSERT INTO report (msg_key, step, account, service_type, msg_type, sent_at, reported_at, report_code, carrier, is_last)
       SELECT ${key}, 0, $3, 'SMS', 'SMS', at + 1000, at + 2000, '10000', 'simulator', 1 ${messages}`,
      [ids, times, account],
    );
    await sql.query(
      `INSERT INTO carrier_ref (carrier, ref, msg_key, step, attempt, created_at)
       SELECT 'simulator', ${key}, ${key}, 0, 1, at ${messages}`,
      [ids, times],
    );
    await sql.query('COMMIT');
    const filled = (first + numbers.length) * RECIPIENTS;
    if (filled % (RECIPIENTS * REQUESTS_AT_ONCE * 10) === 0)
      tell(`${account}: ${filled.toLocaleString('en')}`);
  }
}

/** Everything was indexed and counted at its time, and texts from before the campaign are gone. */
export async function startBehind(sql: Client, campaign: Day): Promise<void> {
  const now = timePrefix(Date.now() - 60_000);
  await textsGoneUntil(sql, campaign);
  await sql.query('UPDATE index_position SET msg_key = $1, reach = $1', [now]);
  await sql.query('UPDATE rollup_position SET msg_key = $1', [now]);
  await sql.query('VACUUM (ANALYZE)');
}

export async function textsGoneUntil(sql: Client, { startsAt }: Day): Promise<void> {
  await sql.query('UPDATE text_position SET request_id = $1', [timePrefix(startsAt - 1)]);
}
