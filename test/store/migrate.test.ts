import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { type Migration, migrationOf, readMigrations } from '../../src/store/migrations.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { Database as SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/until.ts';

/** Far less than the migrations take. */
const TIMEOUT_MS = 800;
/** Where it does not matter, on the slowest machine. */
const AMPLE_MS = 10_000;
const SLEEP = `SELECT pg_sleep(${(2 * TIMEOUT_MS) / 1000});`;

let server: TestPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const FIRST = migrationOf('0001-first.sql', `CREATE TABLE a (b integer); ${SLEEP}`);
const SECOND = migrationOf('0002-second.sql', `${SLEEP} INSERT INTO a VALUES (1)`);
const BROKEN = migrationOf('0002-second.sql', 'INSERT INTO a VALUES (1); SELECT 1 / 0');

/** A starter, and what it tells. */
function starter(t: TestContext, url: string, timeoutMs = AMPLE_MS) {
  const db = new Database({ url, timeoutMs });
  t.after(() => db.close());
  const told: string[] = [];
  const run = (...migrations: readonly Migration[]) =>
    migrate({ db, clock: systemClock, onProgress: text => void told.push(text), migrations });
  return { db, told, run };
}

test('a migration has no time limit, and logs what it does', async t => {
  const { db, told, run } = starter(t, await server.createDatabase(), TIMEOUT_MS);
  await assert.rejects(db.query(SLEEP), { name: 'StoreFault' });
  await run(FIRST, SECOND);
  assert.equal((await db.query('SELECT * FROM a')).count, 1);
  assert.deepEqual(
    told.map(text => text.replace(/[\d.]+ s$/, '… s')),
    [
      'migration 0001-first.sql begins',
      'migration 0001-first.sql is done after … s',
      'migration 0002-second.sql begins',
      'migration 0002-second.sql is done after … s',
    ],
  );
});

test('a second starter waits for the first, however long that takes', async t => {
  const url = await server.createDatabase();
  const [one, other] = [starter(t, url, TIMEOUT_MS), starter(t, url, TIMEOUT_MS)];
  await Promise.all([one.run(FIRST, SECOND), other.run(FIRST, SECOND)]);
  const told = [...one.told, ...other.told];
  assert.ok(told.includes('waiting for another node to migrate the database'));
  assert.equal(told.filter(text => text.endsWith('begins')).length, 2, 'each migration ran once');
  const rows = await one.db.query('SELECT version FROM schema_version ORDER BY version');
  assert.deepEqual(
    rows.map(({ version }) => version),
    [1, 2],
  );
});

test('after a failed migration the next start continues from there', async t => {
  const url = await server.createDatabase();
  const { db, run } = starter(t, url);
  await assert.rejects(run(FIRST, BROKEN), /division by zero/);
  assert.equal((await db.query('SELECT * FROM a')).count, 0);
  assert.equal((await db.query('SELECT max(version) AS version FROM schema_version'))[0]?.version, 1);
  await run(FIRST, SECOND);
  assert.equal((await db.query('SELECT * FROM a')).count, 1);
});

test('a start whose server dies during a migration leaves no partial change', async t => {
  if (!server.process) return t.skip('the server is not ours');
  const url = await server.createDatabase();
  const { told, run } = starter(t, url);
  const long: Migration = { ...FIRST, sql: 'CREATE TABLE a (b integer); SELECT pg_sleep(3600)' };
  const running = assert.rejects(run(long), { name: 'StoreFault', outcome: 'didNotHappen' });
  await until('it has begun', () => told.length > 0);
  await server.process.restart('immediate');
  await running;
  const next = starter(t, url);
  await next.run(FIRST);
  assert.equal((await next.db.query('SELECT * FROM a')).count, 0);
});

const TABLES = migrationOf(
  '0001-tables.sql',
  `CREATE TABLE a (b integer);
   CREATE TABLE days (day integer, b integer) PARTITION BY RANGE (day);
   CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (1) TO (2);
   CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM (2) TO (3);
   INSERT INTO a SELECT generate_series(1, 1000);
   INSERT INTO days SELECT 1 + n % 2, n FROM generate_series(1, 1000) n;`,
);
const INDEXES = [
  migrationOf('0002-index.sql', '-- concurrently\nCREATE UNIQUE INDEX a_b ON a (b);\n'),
  migrationOf(
    '0003-index-of-days.sql',
    '-- concurrently: on a table with partitions\nCREATE INDEX days_b ON days (b);',
  ),
];

test('indexes are built while others write, also on partitions, and after a build that was broken off', async t => {
  const url = await server.createDatabase();
  const { db, told, run } = starter(t, url);
  await run(TABLES);
  // What a build leaves behind that ended in the middle: an index that is not valid.
  await db.query('INSERT INTO a VALUES (1)');
  await assert.rejects(db.alone('CREATE UNIQUE INDEX CONCURRENTLY a_b ON a (b)'), /could not create/);
  await db.query('DELETE FROM a WHERE ctid = (SELECT max(ctid) FROM a WHERE b = 1)');

  const writer = starter(t, url).db;
  const isLocked = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const writing = writer.transaction(
    async tx => {
      await tx.query('INSERT INTO a VALUES (1001)');
      isLocked.resolve();
      await goesOn.promise;
      // A plain CREATE INDEX would wait for this transaction with a lock that stops the next writer.
      await db.query('INSERT INTO a VALUES (1002)');
    },
    { withinMs: Number.POSITIVE_INFINITY },
  );
  await isLocked.promise;
  const building = run(TABLES, ...INDEXES);
  await until('it waits for the writer', async () => {
    const [row] = await db.query(
      "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INDEX CONCURRENTLY%'",
    );
    return Number(row?.count) > 0;
  });
  goesOn.resolve();
  await writing;
  await building;

  const indexes = await db.query(
    "SELECT indexrelid::regclass::text AS name, indisvalid FROM pg_index WHERE indrelid::regclass::text ~ '^(a|days.*)$' ORDER BY 1",
  );
  assert.deepEqual(
    indexes.map(({ name, indisvalid }) => [name, indisvalid]),
    [
      ['a_b', true],
      ['days_1_days_b', true],
      ['days_2_days_b', true],
      ['days_b', true],
    ],
  );
  assert.ok(told.includes('index days_b: 2 of 2 partitions'));
  await run(TABLES, ...INDEXES);
});

test('a migration that waits for a lock lets others pass, and tries again', async t => {
  const url = await server.createDatabase();
  const { db, told, run } = starter(t, url);
  await run(TABLES);
  const reader = starter(t, url).db;
  const isReading = Promise.withResolvers<void>();
  const hasRead = Promise.withResolvers<void>();
  const reading = reader.transaction(
    async tx => {
      await tx.query('SELECT count(*) FROM a');
      isReading.resolve();
      await hasRead.promise;
    },
    { withinMs: Number.POSITIVE_INFINITY },
  );
  await isReading.promise;
  const migrating = run(TABLES, migrationOf('0002-column.sql', 'ALTER TABLE a ADD COLUMN c integer'));
  await until('it has given up once', () => told.some(text => text.startsWith('waiting for a lock')));
  hasRead.resolve();
  await Promise.all([reading, migrating]);
  assert.equal((await db.query('SELECT c FROM a WHERE b = 1')).count, 1);
});

test('an index of a table with days waits for the locks of readers as briefly as a migration', async t => {
  const url = await server.createDatabase();
  // It would wait for most of this.
  const { db, told, run } = starter(t, url, 600_000);
  await run(TABLES);
  await db.query('CREATE INDEX days_1_days_b ON days_1 (b)');
  const reader = starter(t, url).db;
  const isReading = Promise.withResolvers<void>();
  const hasRead = Promise.withResolvers<void>();
  const reading = reader.transaction(
    async tx => {
      await tx.query('SELECT FROM days_1 WHERE b = 1');
      isReading.resolve();
      await hasRead.promise;
    },
    { withinMs: Number.POSITIVE_INFINITY },
  );
  await isReading.promise;
  const migrating = run(TABLES, ...INDEXES);
  await until('it has given up once', () => told.some(text => text.startsWith('waiting for a lock')));
  hasRead.resolve();
  await Promise.all([reading, migrating]);
  assert.ok(told.includes('index days_b: 2 of 2 partitions'));
});

test('a start that freezes within a migration loses its locks', async t => {
  const url = await server.createDatabase();
  const { db, run } = starter(t, url);
  await run(TABLES);
  const { proxy, url: slow } = await TcpProxy.before(t, url);
  proxy.stallAt('ADD COLUMN c');
  const column = migrationOf('0002-column.sql', 'ALTER TABLE a ADD COLUMN c integer');
  const frozen = assert.rejects(starter(t, slow).run(TABLES, column));
  await until('it holds the table', async () => {
    const held =
      "SELECT FROM pg_locks WHERE relation = 'a'::regclass AND mode = 'AccessExclusiveLock' AND granted";
    return (await db.query(held)).count > 0;
  });
  const { run: runNext } = starter(t, url);
  await runNext(TABLES, column);
  proxy.heal();
  await frozen;
  assert.equal((await db.query('SELECT c FROM a WHERE b = 1')).count, 1);
});

test('a program starts on the schema of a newer version, unless that removed something', async t => {
  const { run } = starter(t, await server.createDatabase());
  const expands = migrationOf('0002-expands.sql', 'ALTER TABLE a ADD COLUMN c integer');
  const contracts = migrationOf(
    '0003-contracts.sql',
    '-- contracts: nobody reads c any more\nALTER TABLE a DROP COLUMN c',
  );
  await run(TABLES, expands);
  await run(TABLES);
  await run(TABLES, expands, contracts);
  await assert.rejects(run(TABLES, expands), /at version 3, this program knows 2: run a newer bongsu/);
  await run(TABLES, expands, contracts);
});

test('version 0.1 can still write its migrations down, and its table is taken over', async t => {
  const { db, run } = starter(t, await server.createDatabase());
  await db.query('CREATE TABLE schema_version (version integer NOT NULL)');
  await db.query('INSERT INTO schema_version (version) VALUES (1)');
  await run({ ...TABLES, sql: 'SELECT 1 / 0' }, migrationOf('0002-x.sql', 'CREATE TABLE x (y integer)'));
  await db.query('INSERT INTO schema_version (version) VALUES (3)');
  await run(TABLES);
});

test('SQLite tells of an upgrade, but not of a new file', () => {
  const told: string[] = [];
  const open = (file: string) =>
    new SqliteDatabase(file, () => {}, { onProgress: text => void told.push(text) }).close();
  const directory = scratchDirectory();
  open(join(directory, 'new.db'));
  assert.deepEqual(told, []);

  const folder = new URL('../../src/store/sqlite/migrations/', import.meta.url);
  const migrations = readMigrations(folder);
  const [newest, ...others] = migrations.toReversed();
  const older = new DatabaseSync(join(directory, 'older.db'));
  for (const { sql } of others.toReversed()) older.exec(sql);
  older.exec(`PRAGMA user_version = ${others[0]?.version}`);
  older.close();
  open(join(directory, 'older.db'));
  assert.deepEqual(told, [`migration ${newest?.name} begins`, `migration ${newest?.name} is done`]);
});
