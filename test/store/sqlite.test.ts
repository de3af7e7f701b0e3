import type { TestContext } from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { migratedDirectory } from '../harness/migrated-sqlite.ts';
import { StoreUnderTest } from './contract/store-under-test.ts';
import { storeContract } from './store-contract.ts';

storeContract(async (t: TestContext) => {
  const clock = new ManualClock();
  const dataDir = await migratedDirectory();
  const open = async () =>
    openSqliteStore({ dataDir, exclusive: true, now: () => clock.now(), monotonic: () => clock.monotonic() });
  const bench = new StoreUnderTest(await open(), clock, open);
  t.after(() => bench.store.close());
  return bench;
});
