import assert from 'node:assert/strict';
import test from 'node:test';
import { flag, integer, optional, text } from '../records/columns.ts';
import { Database } from './database.ts';
import { listInserter } from './inserter.ts';

const COLUMNS = { name: text('name'), count: optional(integer('count')), isOld: flag('is_old') };

test('a list of any length is inserted whole and in its order', async t => {
  const db = new Database(':memory:', () => {});
  t.after(() => db.close());
  await db.write(() =>
    db.prepare('CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, count INTEGER, is_old INTEGER)').run(),
  );
  const insert = listInserter(db, 'thing', COLUMNS);
  const expected: string[] = [];
  for (const length of [0, 1, 7, 8, 9, 16, 27]) {
    const things = Array.from({ length }, (_, index) => ({
      name: `${length}.${index}`,
      count: index % 2 === 0 ? index : undefined,
      isOld: index % 3 === 0,
    }));
    expected.push(...things.map(({ name, count, isOld }) => `${name} ${count ?? null} ${isOld ? 1 : 0}`));
    await db.write(() => insert(things));
  }
  const rows = db.prepare('SELECT name, count, is_old FROM thing ORDER BY id').all();
  assert.deepEqual(
    rows.map(row => `${row.name} ${row.count} ${row.is_old}`),
    expected,
  );
});
