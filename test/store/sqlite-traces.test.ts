/** What the files of the embedded engine still hold of what was removed: nothing. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { ACCOUNT_BELONGINGS } from '../../src/store/account-belongings.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { answer, DAY_MS, StoreUnderTest } from './contract/store-under-test.ts';

/** The numbers of the marks that are in a file of the directory. */
function marksIn(dataDir: string): Set<number> {
  const files = readdirSync(dataDir).map(name => readFileSync(join(dataDir, name)).toString('latin1'));
  return new Set(files.flatMap(text => [...text.matchAll(/mark(\d+)\./g)].map(match => Number(match[1]))));
}

test('a removed text of any length is in none of the files', async () => {
  const clock = new ManualClock();
  const dataDir = scratchDirectory();
  const open = async () =>
    openSqliteStore({ dataDir, exclusive: true, now: () => clock.now(), monotonic: () => clock.monotonic() });
  const bench = new StoreUnderTest(await open(), clock, open);
  const texts = 600;
  for (let index = 0; index < texts; index++) {
    // The longest do not fit into a page of the file, and their ends are kept in others.
    const text = `${'x'.repeat(index % 10 === 0 ? 6000 : (index * 37) % 400)} mark${index}.`;
    const request = bench.request({ flow: [{ channel: 'sms', from: '0212345678', text }] });
    await bench.accept({
      ...request,
      messages: request.messages.map(message => ({ ...message, words: {} })),
    });
  }
  for (let claimed = await bench.claim(); claimed.length > 0; claimed = await bench.claim()) {
    await bench.settle(...claimed.map(live => answer(live, { name: 'receivedDelivered' })));
  }
  clock.advance(DAY_MS);
  await bench.reopen();
  assert.equal(marksIn(dataDir).size, texts, 'they are found as long as they are kept');
  const order = { now: clock.now(), acceptedBefore: clock.now() };
  while (await bench.store.upkeep.removeTexts(order));
  assert.deepEqual([...marksIn(dataDir)], []);
  await bench.store.close();
  assert.deepEqual([...marksIn(dataDir)], []);
});

test('the log is emptied for an order to erase, and left alone where there is none', async t => {
  const clock = new ManualClock();
  const dataDir = scratchDirectory();
  const open = async () =>
    openSqliteStore({ dataDir, exclusive: true, now: () => clock.now(), monotonic: () => clock.monotonic() });
  const { store } = new StoreUnderTest(await open(), clock, open);
  t.after(() => store.close());
  const logBytes = () => statSync(join(dataDir, 'bongsu.db-wal')).size;
  const written = logBytes();
  assert.ok(written > 0);
  assert.equal(await store.privacy.scrub(), true);
  assert.equal(logBytes(), written, 'everybody waits while it is written back');
  const order = { id: 'order', orderedAt: clock.now(), account: undefined, recipient: '', withImages: false };
  await store.privacy.order(order);
  await store.privacy.lookedThrough(order.id);
  assert.equal(await store.privacy.scrub(), true);
  assert.ok(logBytes() < written);
});

/** Of an account, and not deleted with it. */
const STAY: Readonly<Record<string, string>> = {
  account: 'the row that keeps the id from being given again',
  request: 'what was sent, until its time is over',
  message: 'the same',
  report: 'the same',
  job: 'there is none: an account with messages on their way is not deleted',
  file: 'expires at once, so that its bytes go too',
  account_usage: 'counts the rows that are left, and goes with the id',
  rollup: 'counts without names or texts, for statistics and invoices',
  erasure: 'evidence of what was erased',
  inbound: 'messages of people are evidence too: they go when their time is over',
};

test('every table that has something of accounts is known to go with them, or why it stays', async t => {
  const dataDir = scratchDirectory();
  await openSqliteStore({ dataDir, exclusive: true, now: () => 0, monotonic: () => 0 }).close();
  const db = new DatabaseSync(join(dataDir, 'bongsu.db'), { readOnly: true });
  t.after(() => db.close());
  const rows = db
    .prepare(
      `SELECT DISTINCT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name IN ('account', 'owner', 'accounts') OR m.name = 'account'`,
    )
    .all();
  const known = [...ACCOUNT_BELONGINGS.map(({ table }) => table), ...Object.keys(STAY)];
  const tables = rows.map(({ name }) => String(name));
  assert.deepEqual(
    tables.filter(table => !known.includes(table)),
    [],
    'say in account-belongings.ts, or here, what becomes of them',
  );
});
