import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { CannotOpen, openFile } from './open-file.ts';

test('a database that cannot be opened is named with the reason', t => {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-open-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const said = (file: string) => {
    try {
      openFile(file, {}, db => db.exec('PRAGMA journal_mode = WAL')).close();
    } catch (error) {
      assert.ok(error instanceof CannotOpen && error.cause instanceof Error);
      return error.message;
    }
    return 'opened';
  };
  assert.equal(said(join(directory, 'bongsu.db')), 'opened');
  const missing = join(directory, 'none', 'bongsu.db');
  assert.match(
    said(missing),
    new RegExp(`^cannot open the database ${missing}: ENOENT: .*${directory}/none`),
  );
  mkdirSync(join(directory, 'folder'));
  assert.equal(
    said(join(directory, 'folder')),
    `cannot open the database ${join(directory, 'folder')}: it is not a file`,
  );
  const other = join(directory, 'other.db');
  writeFileSync(other, 'this is no database, and long enough for SQLite to see that');
  assert.match(said(other), new RegExp(`^cannot open the database ${other}: file is not a database`));
});

const isRoot = process.getuid?.() === 0;
test('a directory that others own is the reason, too', { skip: isRoot && 'root may write everywhere' }, t => {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-open-'));
  t.after(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true });
  });
  const file = join(directory, 'bongsu.db');
  openFile(file).close();
  chmodSync(directory, 0o500);
  assert.throws(() => openFile(file, {}, db => db.exec('PRAGMA journal_mode = WAL')), /EACCES.*bongsu-open-/);
});
