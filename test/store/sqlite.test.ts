import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { describe, mock, type TestContext } from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { nextTurn } from '../../src/platform/next-turn.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { migratedDirectory } from '../harness/migrated-sqlite.ts';
import { inboundMessage } from './contract/inbound.ts';
import { ACME, GLOBEX, StoreUnderTest } from './contract/store-under-test.ts';
import { plainContract, storeContract } from './store-contract.ts';

async function openBench(t: TestContext, vault?: () => Vault): Promise<StoreUnderTest> {
  const clock = new ManualClock();
  const dataDir = await migratedDirectory();
  const open = async () =>
    openSqliteStore({
      ...{ dataDir, exclusive: true, vault: vault?.() },
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    });
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  return bench;
}

/** Statements of the store, and of shared tables those that a test of this file has asked. SQLite prepares them at first use. */
const statements = new Set<string>();
const { prepare } = Database.prototype;
mock.method(Database.prototype, 'prepare', function (this: Database, sql: string) {
  statements.add(sql);
  return prepare.call(this, sql);
});

storeContract(openBench);
describe('without a data key', () => plainContract(t => openBench(t)));

test('a commit reaches the disk before it is answered, and what is deleted leaves the file', async t => {
  const { settings } = await (await openBench(t)).store.durability();
  assert.deepEqual(settings, { journal_mode: 'wal', synchronous: 'full', secure_delete: 'on' });
});

test('batches for several accounts are read in several turns of the event loop', async t => {
  const bench = await openBench(t);
  const accounts = [ACME, GLOBEX, 'initech' as AccountId, 'hooli' as AccountId];
  for (const account of accounts) {
    for (let count = 0; count < 130; count++) await bench.deliver({ account });
    await bench.poll({ account });
  }
  let read = 0;
  const inTurn: number[] = [];
  for (const account of accounts) void bench.poll({ account }).then(() => read++);
  while (read < accounts.length) {
    const before = read;
    await nextTurn();
    inTurn.push(read - before);
  }
  assert.ok(Math.max(...inTurn) <= 2, String(inTurn));
});

test('inbound messages with a selective filter are read a stretch in each turn', async t => {
  const bench = await openBench(t);
  const { inbound } = bench.store;
  const rows = 10_100;
  const messages = Array.from({ length: rows }, (_, index) =>
    inboundMessage(bench, {
      carrierId: String(index),
      to: index % (rows - 1) === 0 ? '15990000' : '15881234',
    }),
  );
  await inbound.add(messages);
  const ends = [messages.at(0)?.msgKey, messages.at(-1)?.msgKey];
  for (const order of ['oldest', 'newest'] as const) {
    for (const account of [ACME, undefined]) {
      const query = { account, since: 0, from: undefined, to: '15990000', after: undefined, order, limit: 5 };
      let isDone = false;
      const found = inbound.list(query).finally(() => {
        isDone = true;
      });
      let turns = 0;
      for (; !isDone; turns++) await nextTurn();
      assert.deepEqual(
        (await found).map(({ msgKey }) => msgKey),
        order === 'oldest' ? ends : ends.toReversed(),
      );
      assert.ok(turns >= 2, `${turns} turns`);
    }
  }
});

/** What grows with the traffic. Whatever reads all of one of these holds up everybody. */
const GROWING = [
  ...['message', 'request', 'report', 'report_queue', 'job', 'carrier_ref', 'message_index', 'idempotency'],
  ...[
    'webhook_delivery',
    'inbound',
    'reservation',
    'reservation_list',
    'rollup',
    'parked_receipt',
    'token',
    'file',
    'audit',
  ],
];
/** Words of the statements that have to, or that look at the first rows only. */
const READ_WHOLE: readonly string[] = [
  'GROUP BY phase', // once, and after a failed transaction: job-counts.ts keeps the numbers
  'claim IN (', // every five minutes, and after a fault of the store
  'FROM inbound_part', // its name for the parts of a message is "message"; few wait for the rest
  'FROM job ORDER BY msg_key LIMIT', // the oldest
  'FROM report_queue WHERE batch IS NULL ORDER BY seq LIMIT', // the oldest
  'FROM webhook_delivery ORDER BY msg_key DESC, step DESC LIMIT', // the newest
  'FROM carrier_ref ORDER BY id LIMIT', // the oldest
  'repeat_until = ?2, deadline_at', // at a restore
  "SET status = 'HELD'", // at a restore
];

test('SQLite takes every statement, and none reads all of a table that grows', async t => {
  await openBench(t);
  const file = new DatabaseSync(join(await migratedDirectory(), 'bongsu.db'));
  t.after(() => file.close());
  assert.ok(statements.size > 300, `${statements.size} statements`);
  const scans = [...statements].flatMap(statement => {
    const read = file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    const plan = read.map(({ detail }) => String(detail));
    const sql = statement.replaceAll(/\s+/g, ' ').trim();
    const isKnown = READ_WHOLE.some(words => sql.includes(words));
    return !isKnown && GROWING.some(table => plan.includes(`SCAN ${table}`)) ? [sql] : [];
  });
  assert.deepEqual(scans, []);
});
