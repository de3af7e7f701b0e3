import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
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

test('batches that several accounts ask for at once are read one a turn', async t => {
  const bench = await openBench(t);
  const accounts = [ACME, GLOBEX, 'initech' as AccountId];
  for (const account of accounts) {
    await bench.deliver({ account });
    await bench.poll({ account });
  }
  let read = 0;
  const seen: number[] = [];
  for (const account of accounts) void bench.poll({ account }).then(() => read++);
  while (read < accounts.length) {
    await nextTurn();
    seen.push(read);
  }
  assert.ok(
    seen.every((count, turn) => count <= turn + 1),
    String(seen),
  );
});
