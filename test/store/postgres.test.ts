import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Client, type QueryResultRow } from 'pg';
import { msgKeyOf, type ResvKey } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { readMigrations } from '../../src/store/migrations.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { RowSecurity } from '../../src/store/postgres/row-security.ts';
import type { Store } from '../../src/store/store.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
import { newReservation, releaseOf } from './contract/reservations.ts';
import {
  ACME,
  accountNamed,
  answer,
  DAY_MS,
  FIRST_CARRIER,
  GLOBEX,
  NO_CUTOFFS,
  PROFILE,
  repeatable,
  StoreUnderTest,
  stepsOf,
  sweepAll,
} from './contract/store-under-test.ts';
import { file } from './contract/usage.ts';
import { plainContract, storeContract } from './store-contract.ts';

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

/** One node's view of a database. */
async function openNode(
  t: TestContext,
  url: string,
  clock = new ManualClock(),
  vault?: () => Vault,
  rowSecurity: RowSecurity = 'auto',
): Promise<StoreUnderTest> {
  const open = () => openPostgresStore({ url, now: () => clock.now(), vault: vault?.(), rowSecurity });
  const node = new StoreUnderTest(await open(), clock, open);
  t.after(() => node.store.close());
  return node;
}

async function twoNodes(t: TestContext): Promise<[StoreUnderTest, StoreUnderTest]> {
  const url = await server.databaseFor(t);
  const clock = new ManualClock();
  return [await openNode(t, url, clock), await openNode(t, url, clock)];
}

/** A connection beside the store, to look and to disturb. */
async function connectTo(t: TestContext, url: string) {
  const client = new Client(url);
  // Its database may be dropped before it has ended.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return async (text: string): Promise<QueryResultRow[]> => (await client.query(text)).rows;
}

storeContract(async (t, vault) => openNode(t, await server.databaseFor(t), new ManualClock(), vault));
// Row security would hide that a statement forgets the account.
describe('without a data key and without row security', () =>
  plainContract(async t => openNode(t, await server.databaseFor(t), new ManualClock(), undefined, 'off')));

test('shows a changed account to the other nodes at once', async t => {
  const [here, there] = await twoNodes(t);
  await here.store.accounts.create(accountNamed(ACME));
  assert.equal((await there.store.accounts.find(ACME))?.blocked, false);
  await here.store.accounts.update(accountNamed(ACME).id, account => ({ ...account, blocked: true }));
  await until('the other node knows', async () => (await there.store.accounts.find(ACME))?.blocked);
});

test('a quota holds for all nodes together', async t => {
  const nodes = await twoNodes(t);
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      nodes[index % 2]?.store.files.add(file(`k${index}`), { files: 3, bytes: 1_000_000 }),
    ),
  );
  assert.equal(results.filter(usedUp => usedUp === undefined).length, 3);
});

test('a quota of reservations holds for all nodes together', async t => {
  const nodes = await twoNodes(t);
  const quota = { reservations: 3, recipients: 1000, bytes: 100_000 };
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, index) => {
      const node = nodes[(index % 2) as 0 | 1];
      const resvKey = String(index).padStart(26, '0') as ResvKey;
      return node.store.reservations.reserve(newReservation(node, { resvKey, lists: [], quota }));
    }),
  );
  assert.equal(results.filter(({ kind }) => kind === 'stored').length, 3);
});

test('files and forms from before there were quotas are counted', async t => {
  const url = await server.createDatabase();
  const sql = await connectTo(t, url);
  const migrations = readMigrations(new URL('../../src/store/postgres/migrations/', import.meta.url));
  await sql('CREATE TABLE schema_version (version integer NOT NULL)');
  for (const { version, sql: text } of migrations.filter(({ version }) => version < 16)) {
    await sql(text);
    await sql(`INSERT INTO schema_version VALUES (${version})`);
  }
  await sql("INSERT INTO form (account, form_id, entries, saved_at) VALUES ('acme', 'FORM1', '[]', 1)");
  for (const key of ['k1', 'k2']) {
    await sql(
      `INSERT INTO file VALUES ('${key}', 'acme', 'MMS', 'MMS', 'a.jpg', 'h', 50, 1, 1, 'jpg', 1, 2)`,
    );
  }
  const { store } = await openNode(t, url);
  assert.deepEqual(await store.accounts.usage(ACME, 0, 1), {
    forms: 1,
    files: 2,
    fileBytes: 100,
    tokens: 0,
    reservations: 0,
    reservationRecipients: 0,
    reservationBytes: 0,
  });
});

test('believes nothing it knew before its listening connection was lost', async t => {
  if (process.env.BONGSU_TEST_POOLER === '1') return t.skip('nobody listens through a pooler');
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  await node.store.accounts.create(accountNamed(ACME));
  await node.store.accounts.find(ACME);
  const ended = await sql(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query ILIKE 'listen%'`);
  assert.equal(ended.length, 1);
  await sql(`UPDATE account SET blocked = true`);
  await until('the node listens again', async () => (await node.store.accounts.find(ACME))?.blocked);
});

test('hands out each step to one of two nodes', async t => {
  const [here, there] = await twoNodes(t);
  const requests = Array.from({ length: 300 }, () => here.request());
  await Promise.all(requests.map(request => here.accept(request)));
  const claims = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      (index % 2 ? here : there).claim({ owner: index % 2 ? 'here' : 'there', limit: 10 }),
    ),
  );
  const keys = claims.flat().map(({ msgKey }) => msgKey);
  assert.equal(new Set(keys).size, keys.length);
  const rest = await here.claim({ limit: 500 });
  assert.equal(keys.length + rest.length, 300);
});

test('ends a message once although two nodes settle its receipts at the same time', async t => {
  const [here, there] = await twoNodes(t);
  const steps = await Promise.all(Array.from({ length: 50 }, () => here.send())).then(() => here.claim());
  await here.settle(...steps.map((live, index) => answer(live, { name: 'accepted' }, [`r${index}`])));
  const receipts = steps.map((_, index) => here.receipt(`r${index}`, { name: 'receivedDelivered' }));
  const results = await Promise.all([
    here.settle(...receipts),
    there.settle(...receipts.toReversed()),
    here.settle(...receipts.toReversed()),
    there.settle(...receipts),
  ]);
  assert.equal(results.flatMap(({ settled }) => settled).filter(each => each === 'ended').length, 50);
  for (const { msgKey } of steps) assert.equal((await there.inquire(msgKey)).length, 1);
});

test('records a late delivery once although two nodes receive it at the same time', async t => {
  const [here, there] = await twoNodes(t);
  const live = await here.submit(['r1']);
  await here.settle(answer(live, { name: 'deadline' }));
  const receipt = here.receipt('r1', { name: 'receivedDelivered' });
  const results = await Promise.all([here.settle(receipt), there.settle(receipt)]);
  assert.deepEqual(results.flatMap(({ settled }) => settled).sort(), ['late', 'parked']);
  const events = (await here.view(live.msgKey)).history.map(({ event }) => event);
  assert.deepEqual(events, ['routed', 'accepted', 'deadline', 'lateDelivery']);
});

test('decides on the state that another node has just written', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const live = await node.submit(['r1']);
  const sql = await connectTo(t, url);
  await sql('BEGIN; SELECT FROM job FOR UPDATE');
  const settling = node.settle(node.receipt('r1', { name: 'receivedDelivered' }));
  // The batch after the one that met the lock.
  await node.settle(node.receipt('unknown', { name: 'receivedDelivered' }));
  await sql('DELETE FROM job; COMMIT');
  assert.deepEqual((await settling).settled, ['parked']);
  assert.deepEqual(await node.inquire(live.msgKey), []);
});

test('stores a request once although two nodes get it with the same key', async t => {
  const [here, there] = await twoNodes(t);
  const idempotency = { key: 'k', bodyHash: 'b', response: 'r' };
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const node = index % 2 ? here : there;
      const account = index < 5 ? ACME : GLOBEX;
      const request = here.request({ idempotency, account });
      return node.accept(request);
    }),
  );
  assert.equal(results.filter(({ kind }) => kind === 'stored').length, 2);
  assert.equal(results.filter(({ kind }) => kind === 'replayed').length, 8);
  assert.equal((await here.store.queue.depth()).ready, 2);
});

test('gives pollers on two nodes the same batch', async t => {
  const [here, there] = await twoNodes(t);
  for (let index = 0; index < 10; index++) await here.deliver();
  const batches = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 ? here : there).poll({ limit: 4 })),
  );
  assert.equal(batches[0]?.records.length, 4);
  for (const batch of batches) assert.deepEqual(batch, batches[0]);
});

test('takes over from a node that is dead, not from one that lives', async t => {
  const [here, there] = await twoNodes(t);
  await here.store.nodes.heartbeat('dead', -1, PROFILE);
  await here.store.nodes.heartbeat('alive', 3_600_000, PROFILE);
  const ofDead = await here.send();
  await here.claim({ owner: 'dead' });
  const ofAlive = await here.send();
  await here.claim({ owner: 'alive' });
  const rules = { self: 'me', now: here.clock.now(), promises: repeatable() };
  const taken = await Promise.all([here, there].map(node => node.store.nodes.takeOver(rules)));
  assert.equal(stepsOf(taken.flat()), 1);
  assert.equal((await here.view(ofDead)).state, 'unknown');
  assert.equal((await here.view(ofDead)).history.length, 2);
  assert.equal((await here.view(ofAlive)).state, 'submitting');
  await here.store.nodes.heartbeat('alive', -1, PROFILE);
  assert.equal(
    stepsOf(await there.store.nodes.takeOver({ ...rules, promises: repeatable(FIRST_CARRIER) })),
    1,
  );
  assert.equal((await here.claim({ owner: 'me' }))[0]?.attempt, 1);
});

test('shares thousands of steps of a dead node among those that take over', async t => {
  const [here, there] = await twoNodes(t);
  await Promise.all(Array.from({ length: 3000 }, () => here.send()));
  await here.claim({ owner: 'dead', limit: 3000 });
  const rules = { self: 'me', now: here.clock.now(), promises: repeatable(FIRST_CARRIER) };
  let taken = 0;
  await until('everything is taken over', async () => {
    const both = await Promise.all([here, there].map(node => node.store.nodes.takeOver(rules)));
    taken += stepsOf(both.flat());
    return taken >= 3000;
  });
  assert.equal(taken, 3000);
  assert.equal((await here.store.queue.depth()).ready, 3000);
});

test('lets three starters migrate an empty database at the same time', async t => {
  const url = await server.createDatabase();
  const nodes = await Promise.all([openNode(t, url), openNode(t, url), openNode(t, url)]);
  for (const node of nodes) await node.store.ping();
  const rows = await (await connectTo(t, url))(`SELECT version FROM schema_version ORDER BY version`);
  const migrations = readMigrations(new URL('../../src/store/postgres/migrations/', import.meta.url));
  assert.deepEqual(
    rows.map(({ version }) => version),
    migrations.map(({ version }) => version),
    'each migration ran once',
  );
});

test('refuses a database from which a newer program has taken something away', async t => {
  const url = await server.databaseFor(t);
  await (await connectTo(t, url))(`INSERT INTO schema_version (version, contracts) VALUES (9999, true)`);
  await assert.rejects(openNode(t, url), /the database is at version 9999, this program knows \d+/);
});

test('refuses an address that turns durability off', async t => {
  const url = `${await server.databaseFor(t)}?synchronous_commit=off`;
  await assert.rejects(openNode(t, url), /synchronous_commit is off/);
});

test('fails when the server is not there, and does not hang', async () => {
  const url = 'postgres://bongsu:bongsu@127.0.0.1:1/bongsu';
  await assert.rejects(openPostgresStore({ url, now: () => 0 }), /ECONNREFUSED/);
});

test('makes the days ahead, and keeps each message in its own', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  node.clock.advance(2 * DAY_MS);
  await node.sweep();
  const days = await sql(`
    SELECT relname FROM pg_class WHERE relname LIKE 'message\\_2%' AND relkind = 'r' ORDER BY relname`);
  assert.deepEqual(
    days.map(({ relname }) => relname),
    [5, 6, 7, 8, 9, 10].map(day => `message_202601${String(day).padStart(2, '0')}`),
  );
  await node.submit(['r1']);
  await node.settle(node.receipt('r1', { name: 'receivedDelivered' }));
  for (const table of ['request', 'message', 'report', 'carrier_ref']) {
    const [row] = await sql(`SELECT tableoid::regclass::text AS partition FROM ${table}`);
    assert.equal(row?.partition, `${table}_20260107`);
  }
});

test('drops whole days when everything in them is past its time', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  await node.deliver();
  node.clock.advance(DAY_MS);
  await node.submit(['r1'], { deadlineAt: node.clock.now() + 10 * DAY_MS });
  node.clock.advance(4 * DAY_MS);
  await node.sweep({ inquiryBefore: node.clock.now() - DAY_MS });
  const days = await (await connectTo(t, url))(`
    SELECT relname FROM pg_class WHERE relname LIKE '%\\_2026____' AND relkind = 'r' ORDER BY relname`);
  const names = days.map(({ relname }) => String(relname));
  for (const table of ['request', 'message', 'report', 'carrier_ref']) {
    assert.ok(!names.includes(`${table}_20260105`));
    assert.ok(names.includes(`${table}_20260106`), 'the day of a message that is on its way');
    assert.ok(!names.includes(`${table}_20260107`));
    assert.ok(names.includes(`${table}_20260110`));
  }
});

/** How many rows of a table the sessions of a node have read. They tell at their end. */
async function rowsRead(t: TestContext, url: string, node: StoreUnderTest, table: string): Promise<number> {
  await node.store.close();
  const sql = await connectTo(t, url);
  // A session reports what it has read when it ends at the latest; a pooler would keep it.
  const endSessions = `
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'bongsu%' AND pid <> pg_backend_pid()`;
  await until('the sessions of the node have ended', async () => (await sql(endSessions)).length === 0);
  const look = await connectTo(t, url);
  const [row] = await look(
    `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_user_tables WHERE relname = '${table}'`,
  );
  return Number(row?.read);
}

/** A node that has a delivered message of 5 January, which is past its time; and the daily tables of that day. */
async function withExpiredDay(t: TestContext) {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const msgKey = await node.deliver();
  node.clock.advance(5 * DAY_MS);
  await node.sweep();
  const sql = await connectTo(t, url);
  const tablesLeft = async () =>
    (
      await sql(
        "SELECT relname FROM pg_class WHERE relname LIKE '%\\_20260105' AND relkind = 'r' ORDER BY relname",
      )
    ).map(({ relname }) => String(relname).replace('_20260105', ''));
  const sweep = () => node.sweep({ inquiryBefore: node.clock.now() - DAY_MS });
  return { url, node, msgKey, sql, tablesLeft, sweep };
}

test('a day is not dropped if a message was written while the drop waited for its lock', async t => {
  const { node, msgKey, sql, tablesLeft, sweep } = await withExpiredDay(t);
  await sql('BEGIN');
  await sql(`INSERT INTO message (msg_key, account, recipient)
             SELECT msg_key || 'x', account, recipient FROM message WHERE msg_key = '${msgKey}'`);
  await sql(`INSERT INTO job (msg_key, account, carrier, phase, due_at, state, step, attempt, deadline_at, rank)
             VALUES ('${msgKey}x', 'acme', 'alpha', 0, 0, 'queued', 0, 0, ${node.clock.now() + DAY_MS}, 0)`);
  const swept = sweep();
  const isWaitedFor =
    'SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE NOT granted AND datname = current_database()';
  await until('the sweep waits for us, or has given up', async () => {
    const waits = (await sql(isWaitedFor)).length > 0;
    return (
      waits ||
      (await Promise.race([swept.then(() => true), new Promise(resolve => setImmediate(resolve, false))]))
    );
  });
  await sql('COMMIT');
  await swept;
  assert.deepEqual(await tablesLeft(), ['message', 'request']);
  assert.equal((await sql(`SELECT FROM message WHERE msg_key = '${msgKey}x'`)).length, 1);
});

test('the first lock that is not available ends the round, and a node pauses before it tries again', async t => {
  const { tablesLeft, sweep, sql } = await withExpiredDay(t);
  const all = await tablesLeft();
  assert.equal(all.length, 5);
  await sql('BEGIN');
  await sql('SELECT FROM message_index_20260105');
  await sweep();
  assert.deepEqual(await tablesLeft(), all, 'those that nobody reads are left as well');
  await sql('COMMIT');
  await sweep();
  assert.deepEqual(await tablesLeft(), all);
  await sweep();
  assert.deepEqual(await tablesLeft(), []);
});

test('whether a day is in use is known without reading it', async t => {
  const { url, node, msgKey, tablesLeft, sweep, sql } = await withExpiredDay(t);
  const of = (keys: string, at: number) =>
    sql(`INSERT INTO report (msg_key, step, account, service_type, msg_type, reported_at, report_code, is_last)
         SELECT msg_key || number, 1, account, service_type, msg_type, ${at}, report_code, is_last
           FROM report CROSS JOIN generate_series(${keys}) AS number WHERE msg_key = '${msgKey}'`);
  await of('10000, 19999', node.clock.now() - 4 * DAY_MS);
  await of('99999, 99999', node.clock.now());
  // Behind those that have ended, one is still pushed.
  await sql(`INSERT INTO webhook_delivery (msg_key, step, account, is_last, reported_at, state, next_at, give_up_at, attempts, recent)
             SELECT '${msgKey}' || number, 0, 'acme', 1, 0, CASE number WHEN 19999 THEN 'pending' ELSE 'delivered' END, 0, 0, 0, '[]'
               FROM generate_series(10000, 19999) AS number`);
  await sweep();
  assert.equal((await tablesLeft()).length, 5);
  // A DELETE would count as a read of all rows, as soon as its session reports what it has read.
  await sql('TRUNCATE report_20260105');
  await sweep();
  assert.equal((await tablesLeft()).length, 5);
  const read = await rowsRead(t, url, node, 'webhook_delivery');
  assert.ok(read < 1000, `${read} deliveries were read`);
  assert.ok((await rowsRead(t, url, node, 'report_20260105')) < 1000);
});

test('whether records of a day are in open batches is known without reading the batches', async t => {
  const { url, node, msgKey, tablesLeft, sql } = await withExpiredDay(t);
  await sql("INSERT INTO report_batch (account, report_id, created_at) VALUES ('acme', 'batch', 0)");
  await sql(`INSERT INTO report_queue (account, msg_key, step, is_last, reported_at, batch)
             SELECT 'acme', '~' || number, 0, 1, 0, 'batch' FROM generate_series(10000, 19999) AS number
              UNION ALL SELECT 'acme', '${msgKey}', 0, 1, 0, 'batch'`);
  await sql('ANALYZE report_queue');
  const cutoffs = { ...NO_CUTOFFS, now: node.clock.now(), inquiryBefore: node.clock.now() - DAY_MS };
  await node.store.upkeep.sweeps(cutoffs).partitions?.();
  assert.equal((await tablesLeft()).length, 5);
  const read = await rowsRead(t, url, node, 'report_queue');
  assert.ok(read < 1000, `${read} records were read`);
});

test('the sweep of inbound messages reads those that it changes, and not all older ones', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  await sql(`INSERT INTO inbound (msg_key, account, carrier, carrier_id, recipient, sender, sender_term, received_at)
             SELECT '00' || number, 'acme', 'alpha', number, '1', '2', '', 0 FROM generate_series(10000, 19999) AS number`);
  await sql('ANALYZE inbound');
  const now = node.clock.now();
  await sweepAll(
    node.store.inbound.sweeps({
      now,
      unfetchedBefore: now,
      textsBefore: now,
      before: 0,
      unconfirmedBefore: now,
    }),
  );
  assert.ok((await rowsRead(t, url, node, 'inbound')) < 1000);
});

test('the sweep of reservations reads those that it changes, and not all that ended', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  const now = node.clock.now();
  const add = (first: number, last: number, status: string) =>
    sql(`INSERT INTO reservation (resv_key, account, status, channels, is_ad, bytes, keys_at, send_at, created_at, updated_at,
                                  ended_at, expected, sent, delivered, failed)
         SELECT lpad(number::text, 26, '0'), 'acme', '${status}', 'sms', 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0
           FROM generate_series(${first}, ${last}) AS number`);
  await add(10_000, 19_999, 'COMPLETED');
  await add(20_000, 20_010, 'CANCELLED');
  await sql('ANALYZE reservation');
  await node.sweepReservations({ haltedBefore: now, textsBefore: now });
  const read = await rowsRead(t, url, node, 'reservation');
  assert.ok(read < 1000, `${read} reservations were read`);
});

test('an open batch whose records are gone is handed out empty, and can be acknowledged', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  await node.deliver();
  const batch = await node.poll();
  assert.equal(batch?.records.length, 1);
  await (await connectTo(t, url))('DELETE FROM report');
  const later = await node.deliver();
  const { reportId } = batch;
  assert.deepEqual(await node.poll(), { reportId, records: [] });
  const now = node.clock.now();
  assert.equal(await node.store.reports.acknowledge(ACME, reportId, now), true);
  const next = await node.poll();
  assert.deepEqual(
    next?.records.map(({ msgKey }) => msgKey),
    [later],
  );
  await (await connectTo(t, url))('DELETE FROM report_queue');
  assert.deepEqual(await node.poll(), { reportId: next?.reportId, records: [] });
});

test('budgets are locked in the order of their keys, wherever they lie on disk', async t => {
  const url = await server.databaseFor(t);
  const { store, clock } = await openNode(t, url);
  const lease = (...keys: readonly string[]) => {
    const asks = keys.map(key => {
      return { key, ratePerSecond: 1, burst: 10, returned: 0, least: 0, most: 1 };
    });
    return store.cluster.lease(asks, clock.now());
  };
  await lease('b');
  await lease('a');
  const [first, second] = [await connectTo(t, url), await connectTo(t, url)];
  await first("BEGIN; SELECT FROM budget WHERE key = 'a' FOR UPDATE");
  const leasing = lease('b', 'a');
  const waiting = `
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until('it waits', async () => (await second(waiting)).length > 0);
  await second("SELECT FROM budget WHERE key = 'b' FOR UPDATE NOWAIT");
  await first('COMMIT');
  assert.deepEqual(
    (await leasing).map(({ granted }) => granted),
    [1, 1],
  );
});

test('after PostgreSQL has lost the shares of carriers nobody has one until the old ones have ended', async t => {
  const url = await server.databaseFor(t);
  const { store } = await openNode(t, url);
  const share = async (node: string, ttlMs: number) => {
    const wish = { carrier: 'sky', rate: 100, wanted: 100 };
    return (await store.cluster.shareRates(node, ttlMs, [wish])).get('sky');
  };
  for (const node of ['one', 'two']) await store.nodes.heartbeat(node, 60_000, PROFILE);
  assert.equal(await share('one', 60_000), 100);
  const sql = await connectTo(t, url);
  // As its recovery after a crash does.
  const unlogged = await sql("SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'");
  await sql(`TRUNCATE ${unlogged.map(({ relname }) => relname).join(', ')}`);
  assert.equal(await share('two', 300), 0);
  assert.equal(await share('one', 300), 0);
  await until('the old shares have ended', async () => (await share('two', 60_000)) === 100);
  assert.equal(await share('one', 60_000), 0);
});

test('lives without a day, and sweeps what fell into none', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  node.clock.advance(10 * DAY_MS);
  const request = node.request({ recipients: ['01011112222', '01033334444'] });
  await node.accept(request);
  const [first, second] = await node.claim();
  assert.ok(first && second);
  await node.settle(
    answer(first, { name: 'accepted' }, ['r1']),
    answer(second, { name: 'accepted' }, ['r2']),
  );
  await node.sweep();
  await node.settle(node.receipt('r1', { name: 'receivedDelivered' }));
  const sql = await connectTo(t, url);
  const [row] = await sql(`SELECT tableoid::regclass::text AS partition FROM message`);
  assert.equal(row?.partition, 'message_default');

  node.clock.advance(DAY_MS);
  const inquiryBefore = node.clock.now();
  await sql(`INSERT INTO webhook_delivery (msg_key, step, account, is_last, reported_at, state, next_at, give_up_at, attempts, recent)
             VALUES ('${first.msgKey}', 0, 'acme', 1, 0, 'pending', 0, 0, 0, '[]')`);
  await node.sweep({ inquiryBefore });
  assert.equal((await node.view(first.msgKey)).state, 'delivered', 'it is pushed late');
  await sql("UPDATE webhook_delivery SET state = 'delivered'");
  await node.sweep({ inquiryBefore });
  assert.equal(await node.store.messages.find(first.msgKey), undefined);
  assert.deepEqual(await node.inquire(first.msgKey), []);
  assert.equal((await node.view(second.msgKey)).state, 'submitted');
  await node.settle(node.receipt('r2', { name: 'receivedDelivered' }));
  await node.sweep({ inquiryBefore: inquiryBefore + 1 });
  assert.equal(await node.store.messages.find(msgKeyOf(request.requestId, 1)), undefined);
  const [left] = await sql(`SELECT count(*)::int AS rows FROM request`);
  assert.equal(left?.rows, 0);
});

test('says that an erasure is not out of its files while a table cannot be vacuumed, and tries again', async t => {
  const url = await server.databaseFor(t);
  const clock = new ManualClock();
  const store = await openPostgresStore({ url, timeoutMs: 1000, now: () => clock.now() });
  t.after(() => store.close());
  const node = new StoreUnderTest(store, clock, () => Promise.resolve(store));
  const key = await node.deliver();
  const order = { orderedAt: 1, account: undefined, recipient: '010****5678', withImages: false };
  await store.privacy.order({ id: 'order', ...order });
  await store.privacy.erase('order', [key], 1);
  await store.privacy.lookedThrough('order');
  const sql = await connectTo(t, server.direct(url));
  await sql('BEGIN');
  await sql('LOCK TABLE opt_out IN SHARE UPDATE EXCLUSIVE MODE');
  assert.equal(await store.privacy.scrub(), false);
  await store.privacy.endOrders(2);
  const [open] = await store.privacy.orders(1);
  assert.deepEqual([open?.endedAt, open?.rest], [undefined, 1], 'the tables of the day are done');
  await sql('ROLLBACK');
  await until('all tables are vacuumed', () => store.privacy.scrub());
  await store.privacy.endOrders(3);
  assert.equal((await store.privacy.orders(1))[0]?.endedAt, 3);
});

test('says that an erasure is not out of its files while a transaction may read what was erased', async t => {
  const url = await server.databaseFor(t);
  const clock = new ManualClock();
  const store = await openPostgresStore({ url, timeoutMs: 1000, now: () => clock.now() });
  t.after(() => store.close());
  const node = new StoreUnderTest(store, clock, () => Promise.resolve(store));
  const key = await node.deliver();
  const [dump, later] = [await connectTo(t, server.direct(url)), await connectTo(t, server.direct(url))];
  const writer = await connectTo(t, server.direct(await server.databaseFor(t)));
  await dump('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await dump('SELECT count(*) FROM account');
  await writer('BEGIN');
  await writer("INSERT INTO carrier_pause (carrier, paused_at) VALUES ('sky', 1)");
  const order = { orderedAt: 1, account: undefined, recipient: '010****5678', withImages: false };
  await store.privacy.order({ id: 'order', ...order });
  await store.privacy.erase('order', [key], 1);
  await store.privacy.lookedThrough('order');
  // PostgreSQL keeps for it what was there when the writer began, though that one is in another database.
  await later('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await later('SELECT count(*) FROM account');
  for (const [what, session] of Object.entries({ dump, writer, later })) {
    assert.equal(await store.privacy.scrub(), false, `beside the ${what}`);
    await session('ROLLBACK');
  }
  await until('nobody reads it', () => store.privacy.scrub());
});

test('vacuums a table that takes longer than a call has', async t => {
  if (process.env.BONGSU_TEST_POOLER === '1')
    return t.skip('the server has no limit for sessions of a pooler');
  const url = await server.databaseFor(t);
  const clock = new ManualClock();
  const slow = new URL(url);
  slow.searchParams.set('options', '-c vacuum_cost_delay=2 -c vacuum_cost_limit=1');
  const store = await openPostgresStore({ url: slow.href, timeoutMs: 500, now: () => clock.now() });
  t.after(() => store.close());
  const node = new StoreUnderTest(store, clock, () => Promise.resolve(store));
  const key = await node.deliver();
  const order = { orderedAt: 1, account: undefined, recipient: '010****5678', withImages: false };
  await store.privacy.order({ id: 'order', ...order });
  await store.privacy.erase('order', [key], 1);
  const sql = await connectTo(t, server.direct(url));
  await sql(
    "INSERT INTO set_aside (at, reason, event) SELECT 1, '', repeat(md5(each::text), 15) FROM generate_series(1, 2000) AS each",
  );
  await sql('DELETE FROM set_aside');
  await until('nobody reads it', () => store.privacy.scrub());
});

test('what is sent early has its day, leaves the other days free, and leaves no reference behind', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  const { reservations } = node.store;
  const start = node.clock.now();
  const sent = [20, 10].map((days, index) => {
    const requestId = node.requestIdAt(start + days * DAY_MS);
    const list = { requestId, recipients: [{ index: 0, to: '01011112222' }] };
    return { resvKey: `${'0'.repeat(25)}${index + 1}` as ResvKey, list, keysAt: start + days * DAY_MS };
  });
  for (const { resvKey, list, keysAt } of sent) {
    const given = newReservation(node, { resvKey, keysAt, sendAt: start, lists: [list] });
    assert.equal((await reservations.reserve(given)).kind, 'stored');
  }
  assert.equal(await reservations.begin(start, 10), 2);
  for (const { resvKey, list } of sent) {
    assert.equal(await reservations.release(releaseOf(node, list, resvKey)), true);
  }
  for (const [index, live] of (await node.claim()).entries()) {
    await node.settle(answer(live, { name: 'accepted' }, [`r${index}`]));
    await node.settle(node.receipt(`r${index}`, { name: 'receivedDelivered' }));
  }
  for (const table of ['request', 'message', 'carrier_ref']) {
    const rows = await sql(`SELECT tableoid::regclass::text AS partition FROM ${table} ORDER BY 1`);
    const partitions = rows.map(({ partition }) => partition);
    assert.deepEqual(partitions, [`${table}_20260115`, `${table}_20260125`]);
  }
  const made = await sql(`SELECT 1 FROM pg_class WHERE relname LIKE 'message\\_2%' AND relkind = 'r'`);
  assert.equal(made.length, 4 + 2, 'no day but theirs');
  node.clock.advance(2 * DAY_MS);
  await node.sweep({ inquiryBefore: node.clock.now() - DAY_MS });
  for (const table of ['request', 'message', 'report', 'carrier_ref']) {
    assert.deepEqual(await sql(`SELECT 1 FROM ${table}`), [], table);
  }
});

test('makes the days of two nodes at the same time', async t => {
  const [here, there] = await twoNodes(t);
  here.clock.advance(5 * DAY_MS);
  await Promise.all([here.sweep(), there.sweep(), here.sweep()]);
  await here.deliver();
});

test('refuses all calls while the database is away, and works when it is back', async t => {
  const url = await server.databaseFor(t);
  const node = await openNode(t, url);
  const sql = await connectTo(t, url);
  const disconnect = () =>
    sql(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  await node.send();
  await disconnect();
  await until('the store answers again', () =>
    node.store.ping().then(
      () => true,
      () => false,
    ),
  );
  await until('a message is accepted', () => node.send().catch(() => undefined));
});

test('counts what each commit carries', async t => {
  const clock = new ManualClock();
  const commits: number[] = [];
  const url = await server.databaseFor(t);
  const options = { url, now: () => clock.now(), onCommit: (tasks: number) => void commits.push(tasks) };
  const store: Store = await openPostgresStore(options);
  t.after(() => store.close());
  const node = new StoreUnderTest(store, clock, async () => store);
  await Promise.all(Array.from({ length: 10 }, () => node.send()));
  assert.deepEqual(commits, [10]);
});

test('two living nodes never hold the same webhook delivery, and a dead one loses its own', async t => {
  const [one, two] = await twoNodes(t);
  for (let index = 0; index < 20; index++) await one.deliver();
  const collect = { account: ACME, lastOnly: false, windowMs: DAY_MS, now: one.clock.now(), limit: 12 };
  const moved = await Promise.all([one, two, one].map(node => node.store.webhooks.collect(collect)));
  assert.equal(
    moved.reduce((sum, count) => sum + count, 0),
    20,
  );
  const claim = (node: StoreUnderTest, owner: string, limit = 100) =>
    node.store.webhooks.claim({ account: ACME, owner, limit, now: node.clock.now() });
  await one.store.nodes.heartbeat('one', 60_000, PROFILE);
  await two.store.nodes.heartbeat('two', 60_000, PROFILE);
  const claims = await Promise.all([claim(one, 'one', 7), claim(two, 'two', 7), claim(one, 'one', 7)]);
  const keys = claims.flat().map(({ msgKey }) => msgKey);
  assert.equal(new Set(keys).size, keys.length);
  await claim(one, 'one');
  assert.deepEqual(await claim(two, 'two'), [], 'the living keep what they hold');
  assert.equal(await two.store.webhooks.returnToQueue(ACME, 'two', 100), 0);
  await one.store.nodes.leave('one');
  const held = claims[1]?.length ?? 0;
  assert.equal((await claim(two, 'two')).length, 20 - held);
});
