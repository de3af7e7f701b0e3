/** What the store promises, it promises with a data key too. */
import { randomBytes } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { createVault } from '../../src/platform/vault.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { migratedDirectory } from '../harness/migrated-sqlite.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { StoreUnderTest } from './contract/store-under-test.ts';
import { sealedContract } from './store-contract.ts';

/** A second key, as during a rotation. */
const keys = [randomBytes(32), randomBytes(32)];
const vault = () => createVault({ keys, isSealing: true });

describe('SQLite with a data key', () => {
  sealedContract(async t => {
    const clock = new ManualClock();
    const dataDir = await migratedDirectory();
    const times = { now: () => clock.now(), monotonic: () => clock.monotonic() };
    const open = async () => openSqliteStore({ dataDir, exclusive: true, ...times, vault: vault() });
    const bench = new StoreUnderTest(await open(), clock, open);
    t.after(() => bench.store.close());
    return bench;
  });
});

describe('PostgreSQL with a data key', () => {
  let server: TestPostgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.stop());

  sealedContract(async t => {
    const clock = new ManualClock();
    const url = await server.databaseFor(t);
    const open = () => openPostgresStore({ url, now: () => clock.now(), vault: vault() });
    const bench = new StoreUnderTest(await open(), clock, open);
    t.after(() => bench.store.close());
    return bench;
  });
});
