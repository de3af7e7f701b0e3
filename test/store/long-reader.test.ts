/**
 * A transaction that stays open, as that of a backup does: PostgreSQL keeps the index entries of everything that went through the
 * queue since. Counted is what a look at the queue reads of them.
 */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { ManualClock } from '../../src/platform/clock.ts';
import { calendarOf } from '../../src/platform/zoned-time.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { entriesRead } from '../harness/entries-read.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { SlowClock } from '../harness/slow-clock.ts';
import {
  ACME,
  accountNamed,
  answer,
  FIRST_CARRIER,
  GLOBEX,
  PROFILE,
  repeatable,
  StoreUnderTest,
} from './contract/store-under-test.ts';

/** Steps, records or deliveries that went through a queue. */
const PASSED = 5_000;
/** A look that finds its place reads far fewer. */
const FEW = 100;
/** Between two readings of the clock, so that a look counts as one that takes long, and its rest is longer than a test. */
const STEP_MS = 2_000;
const TIMEOUT_MS = 1_000_000_000;
/** Longer than the rest after a look. */
const REST_MS = 100_000_000;
/** Rows are committed within this of their time. */
const LATE_MS = 10_000;
/** Looks from the beginning until they count as long. */
const LOOKS = 5;

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

/** A store, and somebody who reads. */
async function openBesideReader(t: TestContext) {
  const url = server.direct(await server.databaseFor(t));
  const clock = new ManualClock();
  const watch = new SlowClock(0);
  const open = () => openPostgresStore({ url, now: () => clock.now(), clock: watch, timeoutMs: TIMEOUT_MS });
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  const [reader, client] = [await connect(t, url), await connect(t, url)];
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.query('SELECT FROM account');
  for (const account of [ACME, GLOBEX]) await bench.store.accounts.create(accountNamed(account));
  /** Looks as often as it takes until looks from the beginning get rests; the first of them reads all. */
  async function tire(table: string, look: () => Promise<unknown>): Promise<void> {
    watch.stepMs = STEP_MS;
    const read = await entriesRead(client, bench.store, table, look);
    assert.ok(read >= PASSED, `from the beginning ${read} entries are read`);
    for (let time = 1; time < LOOKS; time++) await look();
    watch.stepMs = 0;
  }
  async function assertReadsFew(table: string, look: () => Promise<unknown>): Promise<void> {
    const read = await entriesRead(client, bench.store, table, look);
    assert.ok(read < FEW, `the look read ${read} entries`);
  }
  return { bench, client, clock, watch, tire, assertReadsFew };
}

/** Steps of ACME that `node-1` claimed and ended. */
async function passSteps(client: Client, now: number): Promise<void> {
  await client.query(
    `INSERT INTO job (msg_key, account, carrier, phase, rank, due_at, state, step, attempt, deadline_at)
     SELECT lpad(i::text, 32, '0'), $1, $2, 0, 0, $3::bigint - 3600000 + i, 'queued', 0, 0, $3 + 86400000
       FROM generate_series(1, ${PASSED}) AS i`,
    [ACME, FIRST_CARRIER, now],
  );
  await client.query("UPDATE job SET owner = 'node-1', phase = 1, state = 'submitting', claim = 'c'");
  await client.query('DELETE FROM job');
}

async function connect(t: TestContext, url: string): Promise<Client> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

test('a look for dead nodes does not read what the living have ended', async t => {
  const { bench, client, clock, assertReadsFew } = await openBesideReader(t);
  await passSteps(client, clock.now());
  await bench.store.nodes.heartbeat('node-1', 600_000, PROFILE);
  const order = { self: 'node-2', now: clock.now(), promises: repeatable() };
  // The first does what a start does.
  await bench.store.nodes.takeOver(order);
  await assertReadsFew('job', () => bench.store.nodes.takeOver(order));
});

test('steps are claimed behind those that were claimed before, and none stays behind', async t => {
  const { bench, client, clock, watch, tire, assertReadsFew } = await openBesideReader(t);
  await passSteps(client, clock.now());
  await tire('job', () => bench.claim());
  await assertReadsFew('job', () => bench.claim());

  const sent = [
    await bench.send(),
    await bench.send({ account: GLOBEX }),
    await bench.send({ isBulk: true }),
  ];
  const claimed = await bench.claim();
  assert.deepEqual(claimed.map(({ msgKey }) => msgKey).sort(), sent.toSorted());
  assert.deepEqual(await bench.claim(), []);

  // One that was put off comes back at its old place.
  const late = await bench.sendAndClaim();
  await bench.settle(answer(late, { name: 'returned', retryAfterMs: 1 }));
  clock.advance(3_600_000);
  assert.deepEqual(
    (await bench.claim()).map(({ msgKey }) => msgKey),
    [late.msgKey],
  );

  // So does one of a node that died.
  const held = await bench.sendAndClaim();
  clock.advance(3_600_000);
  const promises = repeatable(FIRST_CARRIER);
  await bench.store.nodes.takeOver({ self: 'node-2', now: clock.now(), promises });
  assert.ok((await bench.claim({ owner: 'node-2' })).some(({ msgKey }) => msgKey === held.msgKey));

  // One that appears far behind is found by the next look from the beginning.
  const behind = await bench.send({ acceptedAt: clock.now() - 3_600_000 });
  assert.deepEqual(await bench.claim(), []);
  watch.advance(REST_MS);
  assert.deepEqual(
    (await bench.claim()).map(({ msgKey }) => msgKey),
    [behind],
  );
});

test('steps that were put off are released behind those that were released before, and none stays behind', async t => {
  const { bench, client, clock, watch, tire, assertReadsFew } = await openBesideReader(t);
  const { queue } = bench.store;
  const start = clock.now();
  const putOff = (from: number, count: number, dueAt: number) =>
    client.query(
      `INSERT INTO job (msg_key, account, carrier, phase, rank, due_at, state, step, attempt, deadline_at, owner)
       SELECT lpad(i::text, 32, '0'), $1, $2, 3, 0, $3, 'retrying', 0, 0, $3::bigint + 86400000, '+'
         FROM generate_series($4::integer, $5) AS i`,
      [ACME, FIRST_CARRIER, dueAt, from, from + count - 1],
    );
  await putOff(1, PASSED, start - 60_000);
  await client.query('DELETE FROM job');
  const release = () => queue.release({ now: clock.now(), putOffAfter: undefined, limit: 10 });
  await tire('job', release);
  await assertReadsFew('job', release);
  await putOff(2 * PASSED, 25, start);
  for (const released of [10, 10, 5, 0]) assert.equal(await release(), released);
  await putOff(3 * PASSED, 1, start - 3_600_000);
  assert.equal(await release(), 0);
  watch.advance(REST_MS);
  assert.equal(await release(), 1, 'one far behind');
});

test('overdue steps are found behind those that have ended, and again until they have', async t => {
  const { bench, client, clock, watch, tire, assertReadsFew } = await openBesideReader(t);
  const { queue } = bench.store;
  await passSteps(client, clock.now());
  clock.advance(2 * 86_400_000);
  const overdue = async () => (await queue.overdue(clock.now(), 10)).map(({ msgKey }) => msgKey);
  await tire('job', overdue);
  await assertReadsFew('job', overdue);
  const sent = await bench.send({ deadlineAt: clock.now() });
  assert.deepEqual(await overdue(), [sent]);
  clock.advance(LATE_MS + 1);
  const next = await bench.send({ deadlineAt: clock.now() });
  assert.deepEqual(await overdue(), [sent, next]);
  const behind = await bench.send({ deadlineAt: clock.now() - 3_600_000 });
  assert.deepEqual(await overdue(), [sent, next]);
  watch.advance(REST_MS);
  assert.deepEqual(await overdue(), [behind, sent, next]);
});

test('messages that were counted before they ended are looked at behind those that have', async t => {
  const { bench, client, clock, watch, tire, assertReadsFew } = await openBesideReader(t);
  const leave = (from: number, count: number, lookAt: number) =>
    client.query(
      "INSERT INTO rollup_open (msg_key, look_at) SELECT lpad(i::text, 32, '0'), $1 FROM generate_series($2::integer, $3) AS i",
      [lookAt, from, from + count - 1],
    );
  const left = async () => (await client.query('SELECT FROM rollup_open')).rowCount;
  const start = clock.now();
  await leave(1, PASSED, start - 60_000);
  await client.query('DELETE FROM rollup_open');
  const count = () =>
    bench.store.rollups.count({
      now: clock.now(),
      acceptedBefore: start,
      limit: 10,
      calendar: calendarOf('UTC'),
    });
  await tire('rollup_open', count);
  await assertReadsFew('rollup_open', count);
  await leave(2 * PASSED, 25, start);
  while (await count());
  assert.equal(await left(), 0);
  await leave(3 * PASSED, 1, start - 3_600_000);
  await count();
  assert.equal(await left(), 1);
  watch.advance(REST_MS);
  await count();
  assert.equal(await left(), 0, 'one far behind');
});

test('records are taken from the queue behind those that were taken before, and none stays behind', async t => {
  const { bench, client, clock, watch, tire, assertReadsFew } = await openBesideReader(t);
  const { reports, webhooks } = bench.store;
  await addRecords(client, PASSED, clock.now());
  await client.query("UPDATE report_queue SET batch = 'gone'");
  await client.query('DELETE FROM report_queue');
  const windowMs = 3_600_000;
  const ways = {
    async fetched() {
      const batch = await bench.poll();
      return batch !== undefined && reports.acknowledge(ACME, batch.reportId, clock.now());
    },
    async pushed() {
      const order = { account: ACME, lastOnly: false, windowMs, now: clock.now(), limit: 500 };
      return (await webhooks.collect(order)) > 0;
    },
  };
  for (const [way, take] of Object.entries(ways)) {
    await tire('report_queue', take);
    for (let round = 0; round < 2; round++) {
      await addRecords(client, 1, clock.now());
      assert.equal(await take(), true, `a record is ${way}`);
      watch.advance(LATE_MS);
    }
    await assertReadsFew('report_queue', take);
    await addRecords(client, 1, clock.now());
    assert.equal(await take(), true, `the next is ${way}`);
  }
});

test('deliveries are claimed behind those that were made before, and none stays behind', async t => {
  const { bench, client, clock, watch, tire, assertReadsFew } = await openBesideReader(t);
  const { webhooks } = bench.store;
  const at = clock.now();
  const add = (from: number, count: number, dueAt: number) =>
    client.query(
      `INSERT INTO webhook_delivery (msg_key, step, account, is_last, reported_at, state, next_at, give_up_at, attempts, recent)
       SELECT lpad(i::text, 32, '0'), 0, $1, 1, $2, 'pending', $2, $3, 0, '[]' FROM generate_series($4::integer, $5) AS i`,
      [ACME, dueAt, at + 86_400_000, from, from + count - 1],
    );
  await add(1, PASSED, at - 60_000);
  await client.query("UPDATE webhook_delivery SET owner = 'node-1'");
  await client.query('DELETE FROM webhook_delivery');
  const claim = () => webhooks.claim({ account: ACME, owner: 'node-1', limit: 8, now: clock.now() });
  await tire('webhook_delivery', claim);
  await assertReadsFew('webhook_delivery', claim);

  await add(2 * PASSED, 1, at);
  assert.equal((await claim()).length, 1);
  await webhooks.giveBack(ACME, 'node-1', []);
  assert.equal((await claim()).length, 1);
  await add(3 * PASSED, 1, at - 3_600_000);
  assert.equal((await claim()).length, 0);
  watch.advance(REST_MS);
  assert.equal((await claim()).length, 1, 'one far behind');
});

function addRecords(client: Client, count: number, at: number) {
  return client.query(
    `INSERT INTO report_queue (account, msg_key, step, is_last, reported_at)
     SELECT $1, lpad(i::text, 32, '0'), 0, 1, $2 FROM generate_series(1, $3::integer) AS i`,
    [ACME, at, count],
  );
}
