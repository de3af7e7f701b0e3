/** Commits that stall, on PostgreSQL: what walks in the order of keys waits for them, and who needs what they hold; nobody else does. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client, type QueryResultRow } from 'pg';
import type { ResvKey } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { calendarOf } from '../../src/platform/zoned-time.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/until.ts';
import { newReservation } from './contract/reservations.ts';
import { answer, DAY_MS, GLOBEX, PROFILE, StoreUnderTest } from './contract/store-under-test.ts';

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

async function openNode(
  t: TestContext,
  given?: string,
  timeoutMs = 60_000,
): Promise<{ node: StoreUnderTest; url: string }> {
  const url = given ?? (await server.databaseFor(t));
  const clock = new ManualClock();
  const open = () => openPostgresStore({ url, now: () => clock.now(), timeoutMs });
  const node = new StoreUnderTest(await open(), clock, open);
  t.after(() => node.store.close());
  return { node, url };
}

async function connectTo(t: TestContext, url: string) {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return async (text: string): Promise<QueryResultRow[]> => (await client.query(text)).rows;
}

const LATCH = 4711;

/** From now on everything that adds a row of Globex stalls in its commit, until the latch is opened. */
async function stallCommits(t: TestContext, url: string, table: 'request' | 'reservation' = 'request') {
  const sql = await connectTo(t, url);
  await sql(`
    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(${LATCH});
      RETURN NULL;
    END
    $$`);
  await sql(`
    CREATE CONSTRAINT TRIGGER stall AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.account = '${GLOBEX}') EXECUTE FUNCTION stall()`);
  await sql(`SELECT pg_advisory_lock(${LATCH})`);
  return {
    isStalled: async () =>
      (await sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LATCH} AND NOT granted`))
        .length > 0,
    open: () => sql(`SELECT pg_advisory_unlock(${LATCH})`),
  };
}

const calendar = calendarOf('UTC');

/** Walks as far as it may: index, sums and the removal of texts. */
async function walk(node: StoreUnderTest): Promise<void> {
  const { search, rollups, upkeep } = node.store;
  const now = node.clock.now();
  while ((await search.index(now, 10)) > 0);
  while (await rollups.count({ now, acceptedBefore: now, limit: 10, calendar }));
  while (await upkeep.removeTexts({ now, acceptedBefore: now }));
}

/** How many messages are indexed, counted, and without a text. */
async function walked(sql: (text: string) => Promise<QueryResultRow[]>): Promise<unknown> {
  const [row] = await sql(`
    SELECT (SELECT count(DISTINCT msg_key)::integer FROM message_index) AS indexed,
           (SELECT sum(accepted)::integer FROM rollup WHERE hours = 24 AND account = '') AS counted,
           (SELECT count(*)::integer FROM request WHERE text_removed_at IS NOT NULL) AS removed`);
  return row;
}

test('no walk passes a request with a stalled commit, and each handles it later', async t => {
  const { node, url } = await openNode(t);
  const sql = await connectTo(t, url);
  await node.deliver();
  const latch = await stallCommits(t, url);
  node.clock.advance(60_000);
  const stalled = node.send({ account: GLOBEX, recipients: ['01099990000'] });
  await until('the commit stalls', latch.isStalled);
  node.clock.advance(60_000);
  await node.deliver();
  node.clock.advance(DAY_MS);
  await walk(node);
  assert.deepEqual(await walked(sql), { indexed: 1, counted: 1, removed: 1 });
  await latch.open();
  const late = await stalled;
  await walk(node);
  assert.deepEqual(await walked(sql), { indexed: 3, counted: 3, removed: 2 }, 'the late one is on its way');
  const { messages } = await node.store.search.find({ to: ['01099990000'], limit: 10 });
  assert.deepEqual(
    messages.map(({ msgKey }) => msgKey),
    [late],
  );
});

test('a statement that stalls before it stores anything is noted for the walks that passed its key', async t => {
  const { node, url } = await openNode(t);
  const sql = await connectTo(t, url);
  const blocker = await connectTo(t, url);
  const request = node.request({ account: GLOBEX });
  await blocker('BEGIN; LOCK TABLE job IN SHARE MODE');
  node.clock.advance(60_000);
  const stalled = node.accept(request);
  await until('it waits for the table', async () => {
    return (await sql("SELECT FROM pg_locks WHERE relation = 'job'::regclass AND NOT granted")).length > 0;
  });
  // What another node stores meanwhile, by hand, because it would wait for the table, too.
  const other = node.request();
  const [{ msgKey = '' } = {}] = other.messages;
  await sql(
    `INSERT INTO request (request_id, account, accepted_at, flow) VALUES ('${other.requestId}', 'acme', 1, '[]')`,
  );
  await sql(
    `INSERT INTO message (msg_key, account, recipient, history) VALUES ('${msgKey}', 'acme', '010', '')`,
  );
  node.clock.advance(DAY_MS);
  await walk(node);
  assert.deepEqual(await walked(sql), { indexed: 1, counted: 1, removed: 1 });
  await blocker('COMMIT');
  await stalled;
  await walk(node);
  assert.deepEqual(await walked(sql), { indexed: 2, counted: 2, removed: 1 }, 'the late one is on its way');
  assert.equal((await sql(`SELECT FROM text_left WHERE request_id = '${request.requestId}'`)).length, 1);
});

test('long readers and writers of other tables do not delay a walk', async t => {
  const { node, url } = await openNode(t);
  const sql = await connectTo(t, url);
  const [reader, writer] = [await connectTo(t, url), await connectTo(t, url)];
  await reader('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM message');
  await writer("BEGIN; INSERT INTO carrier_pause (carrier, paused_at) VALUES ('sky', 1)");
  await node.deliver();
  node.clock.advance(DAY_MS);
  await walk(node);
  assert.deepEqual(await walked(sql), { indexed: 1, counted: 1, removed: 1 });
});

/** More than there are connections. */
const MANY = 20;

test('a repetition whose key is being stored waits briefly, and does not delay other sends', async t => {
  const { node: frozen, url } = await openNode(t);
  const { node } = await openNode(t, url, 10_000);
  const latch = await stallCommits(t, url);
  const idempotency = { key: 'k1', bodyHash: 'h', response: 'first' };
  const stalled = frozen.accept(frozen.request({ account: GLOBEX, idempotency }));
  await until('the commit stalls', latch.isStalled);
  const repeat = () => node.accept(node.request({ account: GLOBEX, idempotency }));
  const repeated = Promise.allSettled(Array.from({ length: MANY }, repeat));
  const others = Array.from({ length: MANY }, (_, index) =>
    node.accept(node.request({ idempotency: { ...idempotency, key: `k${index}` } })),
  );
  await node.send();
  assert.ok((await Promise.all(others)).every(({ kind }) => kind === 'stored'));
  for (const each of await repeated) {
    assert.ok(each.status === 'rejected' && each.reason instanceof StoreFault);
    assert.equal(each.reason.outcome, 'didNotHappen');
  }
  await latch.open();
  assert.equal((await stalled).kind, 'stored');
  assert.deepEqual(await repeat(), { kind: 'replayed', response: 'first' });
});

test('settling skips a message that another transaction has locked, and returns to it', async t => {
  const { node, url } = await openNode(t);
  const [held, late, free] = [await node.submit(['r1']), await node.deliver(), await node.submit(['r2'])];
  const blocker = await connectTo(t, url);
  await blocker(`BEGIN; SELECT FROM job WHERE msg_key = '${held.msgKey}' FOR UPDATE`);
  await blocker(`SELECT FROM message WHERE msg_key = '${late}' FOR UPDATE`);
  const at = node.clock.now() + 30 * DAY_MS;
  const overdue = await node.store.queue.overdue(at, 10);
  assert.deepEqual(
    overdue.map(({ msgKey }) => msgKey),
    [free.msgKey],
  );
  const receipts = ['r1', 'r2'].map(ref => node.receipt(ref, { name: 'receivedDelivered' }));
  const about = { msgKey: late, step: 0, attempt: 1 };
  const repeated = node.receipt('r3', { name: 'receivedDelivered' }, { about });
  const settling = node.settle(...receipts, repeated);
  await until('the free one has ended', async () => (await node.view(free.msgKey)).state === 'delivered');
  assert.equal((await node.view(held.msgKey)).state, 'submitted');
  await node.deliver();
  await blocker('COMMIT');
  const { settled, reports } = await settling;
  assert.deepEqual(settled, ['ended', 'ended', 'ignored']);
  assert.deepEqual(new Set(reports.map(({ msgKey }) => msgKey)), new Set([held.msgKey, free.msgKey]));
  assert.equal((await node.view(held.msgKey)).state, 'delivered');
});

test('an erasure that stalls holds up no other recipient of its request', async t => {
  const { node, url } = await openNode(t);
  const { node: frozen } = await openNode(t, url);
  const sql = await connectTo(t, url);
  await node.send({ recipients: ['01011110000', '01022220000', '01033330000'] });
  const [first, second, third] = await node.claim();
  assert.ok(first && second && third);
  await node.settle(...[first, third].map(live => answer(live, { name: 'receivedDelivered' })));
  const { privacy } = frozen.store;
  await privacy.order({ id: 'o1', orderedAt: 1, account: undefined, recipient: '010', withImages: false });
  const blocker = await connectTo(t, url);
  // It has erased the message by then, and not committed.
  await blocker("BEGIN; SELECT FROM erasure WHERE id = 'o1' FOR UPDATE");
  const erasing = privacy.erase('o1', [first.msgKey], 1, []);
  await until('it stalls', async () => {
    return (await sql("SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted")).length > 0;
  });
  const { settled } = await node.settle(answer(second, { name: 'receivedDelivered' }));
  assert.deepEqual(settled, ['ended']);
  const about = { msgKey: third.msgKey, step: 0, attempt: 1 };
  const late = node.receipt('r3', { name: 'receivedDelivered' }, { about });
  assert.deepEqual((await node.settle(late)).settled, ['ignored']);
  await blocker('COMMIT');
  assert.equal((await erasing).messages, 1);
});

test('a node that stalls while it creates a day does not delay others for long', async t => {
  const { node, url } = await openNode(t);
  const { proxy, url: slow } = await TcpProxy.before(t, url);
  const { node: frozen } = await openNode(t, slow);
  const sql = await connectTo(t, url);
  proxy.stallAt('CREATE TABLE IF NOT EXISTS request_');
  const made = assert.rejects(frozen.store.upkeep.makeDays(frozen.clock.now() + DAY_MS), StoreFault);
  await until('it holds the table', async () => {
    const held = "SELECT FROM pg_locks WHERE relation = 'request'::regclass AND mode = 'AccessExclusiveLock'";
    return (await sql(`${held} AND granted`)).length > 0;
  });
  await node.send();
  proxy.heal();
  await made;
});

test('a node that freezes while it shares the rates of carriers does not block the shares of others', async t => {
  const { node, url } = await openNode(t, undefined, 10_000);
  const { proxy, url: slow } = await TcpProxy.before(t, url);
  const { node: frozen } = await openNode(t, slow);
  const sql = await connectTo(t, url);
  const share = async ({ store }: StoreUnderTest, name: string) => {
    await store.nodes.heartbeat(name, 60_000, PROFILE);
    const wish = { carrier: 'sky', rate: 100, wanted: 100 };
    return (await store.cluster.shareRates(name, 60_000, [wish])).get('sky');
  };
  proxy.stallAt('DELETE FROM carrier_share');
  const failed = assert.rejects(share(frozen, 'frozen'), StoreFault);
  await until('it holds the lock of shares', async () => {
    return (await sql("SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted")).length > 0;
  });
  assert.equal(await share(node, 'healthy'), 100);
  proxy.heal();
  await failed;
});

test('a node that freezes while it drains another one does not block the heartbeat of that node', async t => {
  const { node, url } = await openNode(t, undefined, 10_000);
  const { proxy, url: slow } = await TcpProxy.before(t, url);
  const { node: frozen } = await openNode(t, slow);
  const sql = await connectTo(t, url);
  await node.store.nodes.heartbeat('healthy', 60_000, PROFILE);
  proxy.stallAt('SET draining_since');
  const failed = assert.rejects(frozen.store.nodes.drain('healthy', 1), StoreFault);
  await until('it holds the row', async () => {
    const held = "SELECT FROM pg_locks WHERE relation = 'node'::regclass AND mode = 'RowExclusiveLock'";
    return (await sql(`${held} AND granted`)).length > 0;
  });
  await node.store.nodes.heartbeat('healthy', 60_000, PROFILE);
  proxy.heal();
  await failed;
});

test('a parked receipt that a stalled transaction has used is left to it', async t => {
  const { node, url } = await openNode(t);
  await node.settle(node.receipt('same', { name: 'receivedDelivered' }));
  const live = await node.sendAndClaim();
  const blocker = await connectTo(t, url);
  await blocker('BEGIN; DELETE FROM parked_receipt');
  const { settled } = await node.settle(answer(live, { name: 'accepted', parts: 1 }, ['same']));
  assert.deepEqual(settled, ['moved']);
  await blocker('COMMIT');
});

test('reservations that wait for their account leave the connections to others', async t => {
  const { node: frozen, url } = await openNode(t);
  const { node } = await openNode(t, url);
  const latch = await stallCommits(t, url, 'reservation');
  let made = 0;
  const reserve = ({ store }: StoreUnderTest) => {
    const resvKey = String(++made).padStart(26, '0') as ResvKey;
    return store.reservations.reserve(newReservation(node, { account: GLOBEX, resvKey, lists: [] }));
  };
  const stalled = reserve(frozen);
  await until('the commit stalls', latch.isStalled);
  const waiting = Promise.all(Array.from({ length: 8 }, () => reserve(node)));
  await Promise.all(Array.from({ length: MANY }, () => node.send()));
  await latch.open();
  const results = [await stalled, ...(await waiting)];
  assert.ok(results.every(({ kind }) => kind === 'stored'));
});
