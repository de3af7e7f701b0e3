import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { nextTurn } from '../../src/platform/next-turn.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { migratedDirectory } from '../harness/migrated-sqlite.ts';
import { ACME, GLOBEX, StoreUnderTest } from './contract/store-under-test.ts';
import { storeContract } from './store-contract.ts';

async function openBench(t: TestContext): Promise<StoreUnderTest> {
  const clock = new ManualClock();
  const dataDir = await migratedDirectory();
  const open = async () =>
    openSqliteStore({ dataDir, exclusive: true, now: () => clock.now(), monotonic: () => clock.monotonic() });
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  return bench;
}

storeContract(openBench);

test('of batches that several accounts ask for at once some are read in each turn', async t => {
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
