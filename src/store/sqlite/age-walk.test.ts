import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { migratedDirectory } from '../../../test/harness/migrated-sqlite.ts';
import { ageWalk, stretchWalk } from './age-walk.ts';
import { Database, type Row } from './database.ts';
import { DATABASE_FILE } from './sqlite-store.ts';

test('old rows go also behind more new ones than one look sees, and the walk begins again at its end', async t => {
  const db = new Database(join(await migratedDirectory(), DATABASE_FILE), () => {});
  t.after(() => db.close());
  db.prepare('CREATE TABLE aged (id INTEGER PRIMARY KEY, at INTEGER)').run();
  const insert = db.prepare('INSERT INTO aged (id, at) VALUES (?, ?)');
  // A clock that was ahead wrote the first; they stay.
  const ahead = 12_000;
  const old = 700;
  await db.write(() => {
    for (let id = 1; id <= ahead + old; id++) insert.run(id, id <= ahead ? 100 : 1);
  });
  const walk = ageWalk(db, { table: 'aged', id: 'id', at: 'at' });
  const oldRows = () =>
    Number((db.prepare('SELECT count(*) AS old FROM aged WHERE at < 50').get() as Row).old);
  for (let sweep = 0; sweep < 4; sweep++) walk(50, 500);
  assert.equal(oldRows(), 0);
  await db.write(() => db.prepare('UPDATE aged SET at = 1 WHERE id = 5').run());
  for (let sweep = 0; sweep < 4; sweep++) walk(50, 500);
  assert.equal(oldRows(), 0);
});

test('rows that stay are read once in a walk, however many are asked to go behind them', async t => {
  const db = new Database(join(await migratedDirectory(), DATABASE_FILE), () => {});
  t.after(() => db.close());
  db.prepare('CREATE TABLE kept (id TEXT PRIMARY KEY) WITHOUT ROWID').run();
  const insert = db.prepare('INSERT INTO kept (id) VALUES (?)');
  const rows = 12_000;
  await db.write(() => {
    for (let id = 1; id <= rows; id++) insert.run(String(id).padStart(5, '0'));
  });
  const walk = stretchWalk(db, { table: 'kept', id: 'id', first: '' });
  const seen: string[] = [];
  for (let look = 0; look < 4; look++) {
    walk('11000', 500, (after, last) => {
      seen.push(`${after}-${last}`);
      return 0;
    });
  }
  assert.deepEqual(seen, ['-05000', '05000-10000', '10000-10999', '-05000']);
});
