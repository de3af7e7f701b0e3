import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import type { Migration } from '../../src/store/migrations.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';

/** Far less than the migrations take. */
const TIMEOUT_MS = 300;
const SLEEP = `SELECT pg_sleep(${(2 * TIMEOUT_MS) / 1000});`;

let server: TestPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const FIRST: Migration = { version: 1, name: '0001-first.sql', sql: `CREATE TABLE a (b integer); ${SLEEP}` };
const SECOND: Migration = { version: 2, name: '0002-second.sql', sql: `${SLEEP} INSERT INTO a VALUES (1)` };
const BROKEN: Migration = {
  version: 2,
  name: '0002-second.sql',
  sql: 'INSERT INTO a VALUES (1); SELECT 1 / 0',
};

/** A starter, and what it tells. */
function starter(t: TestContext, url: string) {
  const db = new Database({ url, timeoutMs: TIMEOUT_MS });
  t.after(() => db.close());
  const told: string[] = [];
  const run = (...migrations: readonly Migration[]) =>
    migrate({ db, clock: systemClock, onProgress: text => void told.push(text), migrations });
  return { db, told, run };
}

test('a migration takes as long as it needs, and tells what it does', async t => {
  const { db, told, run } = starter(t, await server.createDatabase());
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
  const [one, other] = [starter(t, url), starter(t, url)];
  await Promise.all([one.run(FIRST, SECOND), other.run(FIRST, SECOND)]);
  const told = [...one.told, ...other.told];
  assert.ok(told.includes('waits for another node that migrates the database'));
  assert.equal(told.filter(text => text.endsWith('begins')).length, 2, 'each migration ran once');
  const rows = await one.db.query('SELECT version FROM schema_version ORDER BY version');
  assert.deepEqual(
    rows.map(({ version }) => version),
    [1, 2],
  );
});

test('after a failure in the middle the next starter goes on from there', async t => {
  const url = await server.createDatabase();
  const { db, run } = starter(t, url);
  await assert.rejects(run(FIRST, BROKEN), /division by zero/);
  assert.equal((await db.query('SELECT * FROM a')).count, 0);
  assert.equal((await db.query('SELECT max(version) AS version FROM schema_version'))[0]?.version, 1);
  await run(FIRST, SECOND);
  assert.equal((await db.query('SELECT * FROM a')).count, 1);
});

test('a starter whose server dies in the middle leaves nothing half done', async t => {
  if (!server.process) return t.skip('the server is not ours');
  const url = await server.createDatabase();
  const { told, run } = starter(t, url);
  const long: Migration = { ...FIRST, sql: 'CREATE TABLE a (b integer); SELECT pg_sleep(3600)' };
  const running = assert.rejects(run(long), { name: 'StoreFault', outcome: 'didNotHappen' });
  while (told.length === 0) await new Promise(resolve => setImmediate(resolve));
  await server.process.restart('immediate');
  await running;
  const next = starter(t, url);
  await next.run(FIRST);
  assert.equal((await next.db.query('SELECT * FROM a')).count, 0);
});
