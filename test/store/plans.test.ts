/** What statements read of large tables, also where PostgreSQL has no statistics of them, or of what they were before. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import type { AccountId, MsgKey } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { entriesRead } from '../harness/entries-read.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { SlowClock } from '../harness/slow-clock.ts';
import { ACME, FIRST_CARRIER, StoreUnderTest } from './contract/store-under-test.ts';

/** A plan that is made for so many does not read all of them to find some. */
const MANY = 100_000;
const ANSWERS = 200;
/** Calls after the one that shows that a plan is bad. */
const AGAIN = 5;
/** Between two readings of the clock: a statement takes long by it. */
const STEP_MS = 2_000;
const TIMEOUT_MS = 1_000_000_000;

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test('a poll does not read the records of other accounts', async t => {
  const { bench, client } = await openBench(t);
  const add = (account: string, count: number) =>
    client.query(
      `INSERT INTO report_queue (account, msg_key, step, is_last, reported_at)
       SELECT $1, lpad(i::text, 32, '0'), 0, 1, 1 FROM generate_series(1, $2::integer) AS i`,
      [account, count],
    );
  await add('globex', MANY);
  // So many that a plan expects to meet one soon, whatever it reads first.
  await add(ACME, MANY / 5);
  await client.query('ANALYZE report_queue');
  const pollAs = (account: AccountId) => bench.poll({ account, limit: 10 });
  const collectAs = (account: AccountId) =>
    bench.store.webhooks.collect({ account, lastOnly: false, windowMs: 1, now: 1, limit: 10 });
  for (const look of [() => pollAs(ACME), () => collectAs(ACME)]) {
    const read = await entriesRead(client, bench.store, 'report_queue', look);
    assert.ok(read < MANY / 10, `${read} entries were read`);
  }
});

test('a query plan from an empty queue is replaced soon after the queue has grown', async t => {
  const read = async (times: number) => {
    const { bench, client, watch } = await openBench(t);
    const add = (from: number, count: number) =>
      client.query(
        `INSERT INTO job (msg_key, account, carrier, phase, rank, due_at, state, step, attempt, deadline_at, owner)
         SELECT lpad(i::text, 32, '0'), $1, $2, 2, 0, 1, 'submitted', 0, 1, 1, 'node-1'
           FROM generate_series($3::integer, $4) AS i`,
        [ACME, FIRST_CARRIER, from, from + count - 1],
      );
    // Late answers: nothing of the rest is needed for them.
    const settle = (count: number) =>
      bench.settle(
        ...Array.from({ length: count }, (_, index) => ({
          ...({ kind: 'step', step: 0, attempt: 9, event: { name: 'accepted', parts: 1 } } as const),
          msgKey: String(1 + index * (MANY / ANSWERS)).padStart(32, '0') as MsgKey,
        })),
      );
    await client.query('VACUUM ANALYZE job');
    await add(1, 20);
    return entriesRead(client, bench.store, 'job', async () => {
      for (let time = 0; time < 20; time++) await settle(1);
      await add(21, MANY);
      watch.stepMs = STEP_MS;
      for (let time = 0; time < times; time++) await settle(ANSWERS);
    });
  };
  const [once, often] = [await read(1), await read(1 + AGAIN)];
  assert.ok(once >= MANY, `the plan is not bad: it reads ${once} entries`);
  assert.ok(often < 2 * once, `once ${once} entries are read, then ${often}`);
});

async function openBench(t: TestContext) {
  const url = server.direct(await server.databaseFor(t));
  const clock = new ManualClock();
  const watch = new SlowClock(0);
  const open = () => openPostgresStore({ url, now: () => clock.now(), clock: watch, timeoutMs: TIMEOUT_MS });
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return { bench, client, watch };
}
