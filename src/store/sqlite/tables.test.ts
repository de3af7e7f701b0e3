import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { StoreFault } from '../store-fault.ts';
import { lock, sql } from '../tables/tables.ts';
import { Database } from './database.ts';
import { sqliteTables } from './tables.ts';

const ADD = 'INSERT INTO statistic (at, name, value) VALUES (:at::bigint, :name, 1)';
const NAMES = 'SELECT name FROM statistic ORDER BY name';

function open(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'bongsu-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const commits: number[] = [];
  const db = new Database(join(dir, 'db'), tasks => void commits.push(tasks));
  const tables = sqliteTables(db);
  const names = async () => (await tables.read(undefined, NAMES)).map(({ name }) => name);
  return { db, tables, commits, names };
}

test('writes of several callers share a transaction, and nothing comes between the statements of one', async t => {
  const { db, tables, commits, names } = open(t);
  t.after(() => db.close());
  const seen: unknown[][] = [];
  const addTwo = (first: string, second: string) =>
    tables.write(undefined, undefined, function* () {
      yield* lock('LOCK TABLE statistic');
      const { count } = yield* sql(ADD, { at: 1, name: first });
      seen.push((yield* sql(NAMES)).map(({ name }) => name));
      return count + (yield* sql(ADD, { at: 1, name: second })).count;
    });
  assert.deepEqual(await Promise.all([addTwo('a', 'b'), addTwo('c', 'd')]), [2, 2]);
  assert.deepEqual(seen, [['a'], ['a', 'b', 'c']]);
  assert.deepEqual(commits, [2]);
  assert.deepEqual(await names(), ['a', 'b', 'c', 'd']);
});

test('a write that fails leaves nothing, and the others of its transaction are written', async t => {
  const { db, tables, names } = open(t);
  t.after(() => db.close());
  const failing = tables.write(undefined, undefined, function* () {
    yield* sql(ADD, { at: 1, name: 'a' });
    throw new Error('no');
  });
  const other = tables.write(undefined, undefined, () => sql(ADD, { at: 1, name: 'b' }));
  await assert.rejects(failing, /no/);
  assert.equal((await other).count, 1);
  assert.deepEqual(await names(), ['b']);
});

test('counts the rows that a write changed or returned', async t => {
  const { db, tables } = open(t);
  t.after(() => db.close());
  const change = (text: string) => tables.write(undefined, undefined, () => sql(text));
  await change("INSERT INTO statistic (at, name, value) VALUES (1, 'a', 1), (1, 'b', 1)");
  assert.equal((await change('UPDATE statistic SET value = 2')).count, 2);
  assert.equal((await change('DELETE FROM statistic RETURNING name')).count, 2);
  assert.equal((await change('DELETE FROM statistic')).count, 0);
});

test('a store that is closed says so, also for a statement that it never ran', async t => {
  const { db, tables } = open(t);
  db.close();
  const isFault = (error: unknown) => error instanceof StoreFault && error.outcome === 'didNotHappen';
  await assert.rejects(tables.read(undefined, NAMES), isFault);
  await assert.rejects(
    tables.write(undefined, undefined, () => sql(NAMES)),
    isFault,
  );
});
