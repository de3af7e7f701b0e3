/** A row that cannot be read is set aside, told, and listed; what comes with it goes on. Its values were changed on disk. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { completeSettings } from '../../src/domain/account/account.ts';
import { type AccountId, attemptIdOf, type FormId, type ResvKey } from '../../src/domain/ids.ts';
import { createEraser } from '../../src/operate/erasure.ts';
import { createPrivacy } from '../../src/operate/privacy.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import { createVault } from '../../src/platform/vault.ts';
import { calendarOf } from '../../src/platform/zoned-time.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { DATABASE_FILE, openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { UnreadableRow } from '../../src/store/unreadable.ts';
import { migratedDirectory } from '../harness/migrated-sqlite.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
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

function contract(open: (t: TestContext) => Promise<Scene>, asideMigration: string): void {
  const tablesOf = (told: readonly UnreadableRow[]) => told.map(({ table }) => table).toSorted();

  test('a step that cannot be read leaves the queue, and returns when it is repaired', async t => {
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
    // Kept behind the claim that met it.
    const entry = await until('it is kept', async () => (await bench.store.queue.listSetAside(10))[0]);
    assert.match(entry.reason, /message cannot be read: a sealed value of message.recipient was changed/);
    assert.deepEqual(JSON.parse(entry.event), { table: 'message', key: keys[1] });

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

  test('steps that an earlier version set aside are restored by the next start', async t => {
    const { bench, change } = await open(t);
    const key = await bench.send();
    await change(`UPDATE job SET phase = 4, owner = '' WHERE msg_key = '${key}'`, asideMigration);
    assert.deepEqual(await bench.claim(), []);
    await bench.store.nodes.takeOver({ self: 'next', now: bench.clock.now(), promises: repeatable() });
    const [restored] = await bench.claim();
    assert.deepEqual([restored?.msgKey, restored?.deadlineAt], [key, bench.clock.now() + DEADLINE_MS]);
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

  test('an outcome of a message that cannot be read waits, and does not delay others in its batch', async t => {
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

  test('a receipt by our own id for a message that could not be read is settled after it was mended', async t => {
    const { bench, change } = await open(t);
    const { msgKey } = await bench.submit(['r1']);
    const damage = flipBit('message', 'recipient', `msg_key = '${msgKey}'`);
    await change(damage);
    const about = { msgKey, step: 0, attempt: 1 };
    const receipt = bench.receipt(attemptIdOf(msgKey, 0, 1), { name: 'receivedDelivered' }, { about });
    assert.deepEqual((await bench.settle(receipt)).settled, ['parked']);
    const look = () => bench.store.queue.matchedParked(bench.clock.now() + DAY_MS, 10);
    assert.deepEqual((await bench.settle(...(await look()))).settled, ['parked']);
    assert.equal((await look()).length, 1, 'it is always due: the deadline must not come before it');
    await change(damage);
    await bench.store.nodes.takeOver({ self: 'next', now: bench.clock.now(), promises: repeatable() });
    bench.clock.advance(2 * DAY_MS);
    assert.deepEqual((await bench.settle(...(await look()))).settled, ['ended']);
    assert.equal((await bench.view(msgKey)).state, 'delivered');
    bench.clock.advance(DAY_MS);
    assert.deepEqual(await look(), []);
  });

  test('lists, the index, sums and erasure continue past a message that cannot be read', async t => {
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
    const calendar = calendarOf('UTC');
    const date = calendar.dateOf(now);
    await bench.store.rollups.count({ now, acceptedBefore: now, limit: 100, calendar });
    const [sums] = await bench.store.rollups.read({
      grain: 'day',
      from: date,
      until: date + DAY_MS,
      where: {},
      by: [],
    });
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

  test('lists of accounts, forms and the audit log continue past an entry that cannot be read', async t => {
    const { bench, told, change } = await open(t);
    for (const id of ['broken', 'whole'] as AccountId[]) {
      const settings = completeSettings({});
      const account = { id, passwordHash: 'x', blocked: false, tokenEpoch: 0, createdAt: 1, settings };
      await bench.store.accounts.create(account);
    }
    const [first, second] = ['FORM1', 'FORM2'] as FormId[];
    for (const formId of [first, second]) {
      if (formId) await bench.store.forms.put({ account: ACME, formId, entries: '[1]', savedAt: 1 });
    }
    for (const target of ['A', 'B']) {
      const entry = {
        at: 1,
        who: 'cli',
        name: undefined,
        operatorId: undefined,
        action: 'x',
        target,
      } as const;
      await bench.store.audit.add({ ...entry, details: { a: 1 } });
    }
    await change(
      `UPDATE account SET settings = '{' WHERE id = 'broken'`,
      `UPDATE form SET entries = '{' WHERE form_id = 'FORM2'`,
      `UPDATE audit SET details = '{' WHERE target = 'A'`,
    );
    const { accounts, forms, audit } = bench.store;
    assert.deepEqual(
      (await accounts.list()).map(({ id }) => id),
      ['whole'],
    );
    const page = await forms.list({ limit: 1, maxBytes: 1000, account: ACME });
    assert.deepEqual(page, { forms: [], next: second });
    const { forms: rest, next } = await forms.list({
      limit: 1,
      maxBytes: 1000,
      account: ACME,
      before: second,
    });
    assert.deepEqual(
      [rest.map(({ formId, entries }) => [formId, entries]), next],
      [[[first, [1]]], undefined],
    );
    assert.deepEqual(
      (await audit.list({ limit: 10 })).map(({ target, details }) => [target, details]),
      [
        ['B', { a: 1 }],
        ['A', {}],
      ],
    );
    assert.deepEqual(tablesOf(told), ['account', 'audit', 'form']);
  });

  test('an erasure stays open while there is something that may be about the person and cannot be read', async t => {
    const { bench, change } = await open(t);
    const { clock } = bench;
    const kim = { number: '+821012345678', account: undefined };
    const [mine, lees] = [await bench.deliver(), await bench.deliver({ recipients: ['01087654321'] })];
    const receipt = (ref: string) => bench.receipt(ref, { name: 'receivedDelivered' }, { to: '01012345678' });
    await bench.settle(receipt('x1'), receipt('x2'));
    await bench.store.queue.setAside({ at: 1, reason: '', event: JSON.stringify({ to: '01012345678' }) });
    const damage = [
      flipBit('message', 'recipient', 'true'),
      flipBit('parked_receipt', 'recipient', "ref = 'x1'"),
      flipBit('set_aside', 'event', 'at = 1'),
    ];
    await change(...damage);
    clock.advance(60_000);
    assert.equal(await bench.store.search.index(clock.now(), 100), 2);
    const removeFile = () => Promise.reject(new Error('there are no images'));
    const privacy = () => {
      const tools = { random: systemRandomness(), formatTime: String, removeFile };
      return createPrivacy({ store: bench.store, clock, ...tools });
    };
    const { counts } = await privacy().erase(kim);
    assert.deepEqual([counts.messages, counts.parkedReceipts, counts.setAside], [0, 1, 0]);
    assert.equal(counts.unreadable, 4);
    const goOn = () => createEraser({ store: bench.store, clock, removeFile }).goOn(() => false);
    await goOn();
    const [left] = await privacy().orders();
    assert.deepEqual([left?.state, left?.rest], ['waiting', 4]);
    await change(...damage);
    await goOn();
    assert.deepEqual([(await bench.view(mine)).to, (await bench.view(lees)).to], ['erased', '01087654321']);
    assert.deepEqual((await bench.store.privacy.parked(0, 10)).receipts, []);
    const events = (await bench.store.privacy.setAside(0, 10)).map(({ event }) => event);
    assert.ok(!events.some(event => event.includes('12345678')), events.join());
    const [done] = await privacy().orders();
    assert.deepEqual([done?.state, done?.rest, done?.messages], ['done', 0, 1]);
  });

  test('rules and parts of inbound messages continue past one that cannot be read', async t => {
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
      const stale = await inbound.staleParts(now, 10, 0);
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

  test('opt-outs are added beside one that cannot be read, which is not added again', async t => {
    const { bench, change } = await open(t);
    const add = (...numbers: readonly string[]) => {
      const entries = numbers.map(
        number => ({ number, sender: '*', covers: 'all', source: undefined }) as const,
      );
      return bench.store.optOuts.add(ACME, entries, { at: 1, way: 'api', by: 'acme' });
    };
    assert.equal(await add('+821012345678'), 1);
    await change(flipBit('opt_out', 'recipient', `account = '${ACME}'`));
    assert.equal(await add('+821012345678', '+821087654321'), 1);
  });

  test('reservations continue past a name and a list that cannot be read', async t => {
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
    await bench.sweepReservations();
    await change(damage);
    assert.deepEqual(
      (await bench.store.reservations.waitingLists(given.resvKey, 1)).map(({ requestId }) => requestId),
      [list?.requestId],
      'it is kept',
    );
    assert.deepEqual(tablesOf(told), ['reservation', 'reservation_list']);
  });

  test('a webhook delivery continues without its attempts, and one without a record is given up', async t => {
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

/** How a node of version 0.1 takes the steps of owners that it does not know. */
const TAKEN_BY_OLDER_NODE = `
  UPDATE job SET owner = '' WHERE owner NOT IN ('', '+', '?')
     AND NOT EXISTS (SELECT FROM node WHERE node.id = owner AND alive_until > clock_timestamp())`;

const asideMigrationOf = (engine: string) =>
  readFileSync(new URL(`../../src/store/${engine}/migrations/0047-aside.sql`, import.meta.url), 'utf8');

describe('SQLite', () => contract(onSqlite, asideMigrationOf('sqlite')));

describe('PostgreSQL', () => {
  let server: TestPostgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.stop());
  contract(t => onPostgres(t, server), asideMigrationOf('postgres'));

  test('steps that are set aside stay so beside a node of an older version, and are restored', async t => {
    const { bench, change } = await onPostgres(t, server);
    const submitted = await bench.submit(['r1']);
    const queued = await bench.send();
    const damage = flipBit('message', 'recipient', `msg_key IN ('${submitted.msgKey}', '${queued}')`);
    await change(damage);
    await bench.settle(bench.receipt('r1', { name: 'receivedDelivered' }));
    assert.deepEqual(await bench.claim(), []);
    await change(TAKEN_BY_OLDER_NODE, damage);
    const { clock, store } = bench;
    await store.nodes.takeOver({ self: 'next', now: clock.now(), promises: repeatable() });
    assert.deepEqual(
      (await bench.claim()).map(({ msgKey, deadlineAt }) => [msgKey, deadlineAt]),
      [[queued, clock.now() + DEADLINE_MS]],
    );
    const parked = await store.queue.matchedParked(clock.now() + DAY_MS, 10);
    assert.deepEqual((await bench.settle(...parked)).settled, ['ended']);
  });
});
