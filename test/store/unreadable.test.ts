/** A row that cannot be read is set aside, told, and listed; what comes with it goes on. Its values were changed on disk. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import type { ResvKey } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { createVault } from '../../src/platform/vault.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { DATABASE_FILE, openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { UnreadableRow } from '../../src/store/unreadable.ts';
import { migratedDirectory } from '../harness/migrated-sqlite.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { inboundMessage, part } from './contract/inbound.ts';
import { newReservation } from './contract/reservations.ts';
import {
  ACME,
  DAY_MS,
  DEADLINE_MS,
  PROFILE,
  repeatable,
  StoreUnderTest,
} from './contract/store-under-test.ts';

interface Scene {
  readonly bench: StoreUnderTest;
  readonly told: UnreadableRow[];
  /** Stops the store, runs this on its tables, and starts it again. */
  change(...statements: readonly string[]): Promise<void>;
}

/** Changes one character of a sealed value, and back: the change is its own inverse. */
function flipBit(table: string, column: string, where: string): string {
  const place = `substr(${column}, 31, 1)`;
  const other = `CASE WHEN ${place} <> upper(${place}) THEN upper(${place}) WHEN ${place} <> lower(${place}) THEN lower(${place})
    WHEN ${place} = '0' THEN '1' WHEN ${place} = '1' THEN '0' WHEN ${place} = '2' THEN '3' WHEN ${place} = '3' THEN '2'
    WHEN ${place} = '4' THEN '5' WHEN ${place} = '5' THEN '4' WHEN ${place} = '6' THEN '7' WHEN ${place} = '7' THEN '6'
    WHEN ${place} = '8' THEN '9' WHEN ${place} = '9' THEN '8' WHEN ${place} = '-' THEN '_' ELSE '-' END`;
  return `UPDATE ${table} SET ${column} = substr(${column}, 1, 30) || ${other} || substr(${column}, 32) WHERE ${where}`;
}

const vault = { keys: [randomBytes(32)], isSealing: true };

async function onSqlite(t: TestContext): Promise<Scene> {
  const clock = new ManualClock();
  const dataDir = await migratedDirectory();
  const told: UnreadableRow[] = [];
  return sceneOn(t, clock, told, {
    open: async () =>
      openSqliteStore({
        ...{ dataDir, exclusive: true, vault: createVault(vault) },
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        onUnreadable: row => told.push(row),
      }),
    run: async statements => {
      const db = new DatabaseSync(join(dataDir, DATABASE_FILE));
      for (const statement of statements) db.exec(statement);
      db.close();
    },
  });
}

async function onPostgres(t: TestContext, server: TestPostgres): Promise<Scene> {
  const clock = new ManualClock();
  const url = await server.databaseFor(t);
  const told: UnreadableRow[] = [];
  return sceneOn(t, clock, told, {
    open: () =>
      openPostgresStore({
        ...{ url, vault: createVault(vault), now: () => clock.now() },
        onUnreadable: row => told.push(row),
      }),
    run: async statements => {
      const client = new pg.Client(url);
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    },
  });
}

interface Engine {
  readonly open: ConstructorParameters<typeof StoreUnderTest>[2];
  readonly run: (statements: readonly string[]) => Promise<void>;
}

async function sceneOn(
  t: TestContext,
  clock: ManualClock,
  told: UnreadableRow[],
  engine: Engine,
): Promise<Scene> {
  let waiting: readonly string[] = [];
  const open = async () => {
    await engine.run(waiting);
    return engine.open();
  };
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  return {
    bench,
    told,
    async change(...statements) {
      waiting = statements;
      await bench.reopen();
      waiting = [];
    },
  };
}

function contract(open: (t: TestContext) => Promise<Scene>): void {
  const tablesOf = (told: readonly UnreadableRow[]) => told.map(({ table }) => table).toSorted();

  test('a step that cannot be read leaves the queue, and comes back when it was mended', async t => {
    const { bench, told, change } = await open(t);
    const keys = [];
    for (let index = 0; index < 3; index++) keys.push(await bench.send());
    const damage = flipBit('message', 'recipient', `msg_key = '${keys[1]}'`);
    await change(damage);
    const claimed = await bench.claim();
    assert.deepEqual(
      claimed.map(({ msgKey }) => msgKey),
      [keys[0], keys[2]],
    );
    assert.deepEqual(
      told.map(({ table, key }) => [table, key]),
      [['message', keys[1]]],
    );
    assert.deepEqual(await bench.claim(), []);
    assert.deepEqual(
      await bench.store.queue.overdue(bench.clock.now() + 2 * DEADLINE_MS, 10).then(due => due.length),
      2,
    );
    assert.equal(told.length, 1, 'it is told once');
    const [entry] = await bench.store.queue.listSetAside(10);
    assert.match(
      entry?.reason ?? '',
      /message cannot be read: a sealed value of message.recipient was changed/,
    );
    assert.deepEqual(JSON.parse(entry?.event ?? ''), { table: 'message', key: keys[1] });

    await change();
    await bench.store.nodes.takeOver({ self: 'next', now: bench.clock.now(), promises: repeatable() });
    assert.deepEqual(await bench.claim(), [], 'it was tried again, and is set aside again');
    assert.equal(told.length, 2);
    assert.equal((await bench.store.queue.listSetAside(10)).length, 1, 'and listed once');
    await change(damage);
    await bench.store.nodes.takeOver({ self: 'after that', now: bench.clock.now(), promises: repeatable() });
    const [mended] = await bench.claim();
    assert.deepEqual([mended?.msgKey, mended?.attempt], [keys[1], 1]);
  });

  test('a step that was set aside before a backup is not sent by itself after the restore', async t => {
    const { bench, change } = await open(t);
    const key = await bench.send();
    const damage = flipBit('message', 'recipient', `msg_key = '${key}'`);
    await change(damage);
    assert.deepEqual(await bench.claim(), []);
    const now = bench.clock.now();
    assert.equal((await bench.store.upkeep.holdBack({ since: now, now })).doubted, 1);
    await change(damage);
    await bench.store.nodes.takeOver({ self: 'after that', now, promises: new Map() });
    assert.deepEqual(await bench.claim(), []);
    assert.equal((await bench.view(key)).state, 'unknown');
  });

  test('what is told of a message that cannot be read waits, and does not hold up what comes with it', async t => {
    const { bench, told, change } = await open(t);
    const broken = await bench.submit(['r1']);
    const whole = await bench.submit(['r2']);
    const damage = flipBit('message', 'recipient', `msg_key = '${broken.msgKey}'`);
    await change(damage);
    const event = { name: 'receivedDelivered' } as const;
    const { settled } = await bench.settle(bench.receipt('r1', event), bench.receipt('r2', event));
    assert.deepEqual(settled, ['parked', 'ended']);
    assert.equal((await bench.view(whole.msgKey)).state, 'delivered');
    assert.deepEqual(tablesOf(told), ['message']);
    assert.deepEqual(await bench.store.queue.overdue(bench.clock.now() + 2 * DEADLINE_MS, 10), []);
    await change(damage);
    await bench.store.nodes.takeOver({ self: 'next', now: bench.clock.now(), promises: repeatable() });
    const parked = await bench.store.queue.matchedParked(bench.clock.now() + DAY_MS, 10);
    assert.deepEqual((await bench.settle(...parked)).settled, ['ended']);
  });

  test('lists, the index, sums and erasure go on past a message that cannot be read', async t => {
    const { bench, told, change } = await open(t);
    const keys = [await bench.deliver(), await bench.deliver(), await bench.deliver()];
    await change(
      flipBit('message', 'recipient', `msg_key = '${keys[1]}'`),
      `UPDATE request SET flow = '{' WHERE request_id = substr('${keys[1]}', 1, 29)`,
    );
    bench.clock.advance(60_000);
    const now = bench.clock.now();
    assert.equal(await bench.store.search.index(now, 100), 3);
    const found = await bench.store.search.find({ limit: 10, account: ACME });
    assert.deepEqual(
      found.messages.map(({ msgKey, to }) => [msgKey, to]),
      keys.toReversed().map(key => [key, key === keys[1] ? '?' : '01012345678']),
    );
    const dayOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
    await bench.store.rollups.count({ now, acceptedBefore: now, limit: 100, dayOf });
    const [sums] = await bench.store.rollups.read({ grain: 'day', at: [dayOf(now)], where: {}, by: [] });
    assert.equal(sums?.accepted, 3);
    const order = {
      id: 'order',
      orderedAt: now,
      account: undefined,
      recipient: '010****5678',
      withImages: false,
    };
    await bench.store.privacy.order(order);
    assert.equal((await bench.store.privacy.erase('order', keys, now)).messages, 3);
    assert.deepEqual([...new Set(tablesOf(told))], ['message', 'request']);
  });

  test('rules and parts of inbound messages go on past one that cannot be read', async t => {
    const { bench, told, change } = await open(t);
    const [broken, whole] = [inboundMessage(bench), inboundMessage(bench, { from: '01087654321' })];
    await bench.store.inbound.add([broken, whole]);
    const one = await bench.store.inbound.addPart(part(bench, 1));
    await bench.store.inbound.addPart(part(bench, 2, { from: '01087654321' }));
    await bench.store.registry.put(ACME, [
      { kind: 'inboundNumber', number: '15881234', keyword: '*' },
      { kind: 'inboundNumber', number: '15881234', keyword: 'event' },
    ]);
    await change(
      flipBit('inbound', 'content', `msg_key = '${broken.msgKey}'`),
      flipBit('inbound_part', 'octets', `id = ${one.id}`),
      flipBit('registry', 'entry', `key LIKE '%event'`),
    );
    bench.clock.advance(DAY_MS);
    const now = bench.clock.now();
    const { inbound } = bench.store;
    for (const expected of [[whole.msgKey], []]) {
      const due = await inbound.dueRules(now, now, 10);
      assert.deepEqual(
        due.map(({ msgKey }) => msgKey),
        expected,
      );
      for (const { msgKey } of due) await inbound.rulesApplied(msgKey, undefined);
    }
    for (let look = 0; look < 2; look++) {
      const stale = await inbound.staleParts(now, 10);
      assert.deepEqual(
        stale.map(parts => parts.map(({ from }) => from)),
        [['01087654321']],
      );
    }
    assert.equal((await inbound.owners(['15881234'])).length, 1);
    const query = {
      account: ACME,
      since: 0,
      from: undefined,
      to: undefined,
      after: undefined,
      limit: 10,
    } as const;
    assert.equal((await inbound.list({ ...query, order: 'oldest' })).length, 1);
    assert.deepEqual(tablesOf(told), ['inbound', 'inbound_part', 'registry']);
  });

  test('an inbound message that could not be read is handed out after it was mended', async t => {
    const { bench, change } = await open(t);
    const [broken, whole] = [inboundMessage(bench), inboundMessage(bench, { from: '01087654321' })];
    await bench.store.inbound.add([broken]);
    const damage = flipBit('inbound', 'content', `msg_key = '${broken.msgKey}'`);
    await change(damage);
    const now = bench.clock.now();
    const poll = async (newBatch: string) => {
      const newId = () => newBatch as never;
      const batch = await bench.store.inbound.poll({ account: ACME, newId, limit: 10, since: 0, now });
      return [batch?.batchId, batch?.messages.map(({ msgKey }) => msgKey)];
    };
    assert.deepEqual(await poll('A'), [undefined, undefined]);
    await bench.store.inbound.add([whole]);
    assert.deepEqual(await poll('B'), ['B', [whole.msgKey]]);
    await change();
    await bench.store.nodes.takeOver({ self: 'next', now, promises: repeatable() });
    assert.deepEqual(await poll('C'), ['B', [whole.msgKey]], 'the batch is what it was');
    assert.equal(await bench.store.inbound.acknowledge(ACME, 'B', now), true);
    assert.deepEqual(await poll('D'), [undefined, undefined], 'each start tries it');
    await change(damage);
    await bench.store.nodes.takeOver({ self: 'after that', now, promises: repeatable() });
    assert.deepEqual(await poll('E'), ['E', [broken.msgKey]]);
    assert.equal(await bench.store.inbound.acknowledge(ACME, 'E', now), true);
    assert.deepEqual(await poll('F'), [undefined, undefined]);
  });

  test('the rules of an inbound message that could not be read are applied after it was mended', async t => {
    const { bench, change } = await open(t);
    const message = inboundMessage(bench);
    await bench.store.inbound.add([message]);
    const damage = flipBit('inbound', 'content', `msg_key = '${message.msgKey}'`);
    await change(damage);
    const due = async () => {
      const now = bench.clock.now();
      const found = await bench.store.inbound.dueRules(now, now + 1000, 10);
      return found.map(({ msgKey }) => msgKey);
    };
    bench.clock.advance(DAY_MS);
    assert.deepEqual(await due(), []);
    await change(damage);
    bench.clock.advance(2000);
    assert.deepEqual(await due(), [], 'it is not read again all the time');
    bench.clock.advance(DAY_MS);
    assert.deepEqual(await due(), [message.msgKey]);
  });

  test('reservations go on past a name and a list that cannot be read', async t => {
    const { bench, told, change } = await open(t);
    const given = newReservation(bench);
    const other = `${given.resvKey.slice(0, -1)}2` as ResvKey;
    await bench.store.reservations.reserve(given);
    await bench.store.reservations.reserve({ ...newReservation(bench), resvKey: other, lists: [] });
    const [list, next] = given.lists;
    const damage = flipBit('reservation_list', 'recipients', `request_id = '${list?.requestId}'`);
    await change(
      flipBit('reservation', 'name', `resv_key = '${other}'`),
      damage,
      `UPDATE reservation SET expected = 1 WHERE resv_key = '${other}'`,
    );
    bench.clock.advance(DAY_MS);
    const now = bench.clock.now();
    const { reservations } = bench.store;
    await reservations.begin(now, 10);
    assert.deepEqual(
      (await reservations.underWay(10, 0)).map(({ resvKey, name }) => [resvKey, name]),
      [
        [given.resvKey, '봄'],
        [other, undefined],
      ],
    );
    assert.deepEqual(
      (await reservations.waitingLists(given.resvKey, 1)).map(({ requestId }) => requestId),
      [next?.requestId],
    );
    const order = { to: ['01000000003'], account: undefined, after: undefined, isRemoval: true, now };
    assert.equal((await reservations.ofRecipient(order)).found.length, 1);
    assert.equal(await reservations.complete(given.resvKey, now), false, 'a list waits');
    assert.equal(await reservations.complete(other, now), true);
    await reservations.sweep({ textsBefore: 0, before: 0 });
    await change(damage);
    assert.deepEqual(
      (await bench.store.reservations.waitingLists(given.resvKey, 1)).map(({ requestId }) => requestId),
      [list?.requestId],
      'it is kept',
    );
    assert.deepEqual(tablesOf(told), ['reservation', 'reservation_list']);
  });

  test('a webhook delivery goes on without its attempts, and one without a record is given up', async t => {
    const { bench, told, change } = await open(t);
    await bench.store.nodes.heartbeat('node-1', 60_000, PROFILE);
    const [msgKey, message] = [await bench.deliver(), inboundMessage(bench)];
    await bench.store.inbound.add([message]);
    const now = bench.clock.now();
    const order = { account: ACME, lastOnly: false, windowMs: DAY_MS, now, limit: 100 };
    assert.equal(await bench.store.webhooks.collect(order), 1);
    await change(
      `UPDATE webhook_delivery SET recent = '~1' WHERE msg_key = '${msgKey}'`,
      flipBit('inbound', 'content', `msg_key = '${message.msgKey}'`),
    );
    const claimed = await bench.store.webhooks.claim({ account: ACME, owner: 'node-1', limit: 10, now });
    assert.deepEqual(
      new Map(claimed.map(delivery => [delivery.msgKey, [delivery.record !== undefined, delivery.recent]])),
      new Map([
        [msgKey, [true, []]],
        [message.msgKey, [false, []]],
      ]),
    );
    assert.deepEqual(tablesOf(told), ['inbound', 'webhook_delivery']);
  });
}

describe('SQLite', () => contract(onSqlite));

describe('PostgreSQL', () => {
  let server: TestPostgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.stop());
  contract(t => onPostgres(t, server));
});
