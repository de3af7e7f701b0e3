import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client, type QueryResultRow } from 'pg';
import { msgKeyOf } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { readMigrations } from '../../src/store/migrations.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
import {
  ACME,
  accountNamed,
  answer,
  DAY_MS,
  FIRST_CARRIER,
  GLOBEX,
  PROFILE,
  repeatable,
  StoreUnderTest,
} from './contract/store-under-test.ts';
import { file } from './contract/usage.ts';
import { storeContract } from './store-contract.ts';

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

/** One node's view of a database. */
async function openNode(t: TestContext, url: string, clock = new ManualClock()): Promise<StoreUnderTest> {
  const open = () => openPostgresStore({ url, now: () => clock.now() });
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

storeContract(async t => openNode(t, await server.databaseFor(t)));

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
  assert.deepEqual(results.flatMap(({ settled }) => settled).sort(), ['ignored', 'late']);
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
  await until('the node waits for the lock', async () => {
    const [row] = await sql('SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted');
    return row?.waiting > 0;
  });
  await sql('DELETE FROM job; COMMIT');
  assert.deepEqual((await settling).settled, ['ignored']);
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
  assert.equal(
    taken.reduce((sum, steps) => sum + steps),
    1,
  );
  assert.equal((await here.view(ofDead)).state, 'unknown');
  assert.equal((await here.view(ofDead)).history.length, 2);
  assert.equal((await here.view(ofAlive)).state, 'submitting');
  await here.store.nodes.heartbeat('alive', -1, PROFILE);
  assert.equal(await there.store.nodes.takeOver({ ...rules, promises: repeatable(FIRST_CARRIER) }), 1);
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
    taken += both.reduce((sum, steps) => sum + steps);
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

test('makes the days of two nodes at the same time', async t => {
  const [here, there] = await twoNodes(t);
  here.clock.advance(5 * DAY_MS);
  await Promise.all([here.sweep(), there.sweep(), here.sweep()]);
  await here.deliver();
});

test('fails all that is asked while the database is away, and goes on when it is back', async t => {
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
