import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { keepPrivate, makePrivateFile, permissionsForOthers } from './private-files.ts';

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-test-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function permissionsOf(path: string): number {
  return statSync(path).mode & 0o777;
}

test('makes a file for its user alone, and keeps one that is there for its user alone', t => {
  const directory = scratch(t);
  const [made, found] = [join(directory, 'made'), join(directory, 'found')];
  writeFileSync(found, 'content');
  chmodSync(found, 0o664);
  for (const path of [made, found]) {
    makePrivateFile(path);
    assert.equal(permissionsOf(path), 0o600);
  }
  assert.equal(readFileSync(found, 'utf8'), 'content');
});

test('leaves it to others to complain about a file that is not there', t => {
  const missing = join(scratch(t), 'nowhere', 'file');
  makePrivateFile(missing);
  keepPrivate(missing);
  assert.ok(!existsSync(missing));
  assert.equal(permissionsForOthers(missing), undefined);
});

test('tells the permissions of a directory that others may look into', t => {
  const directory = scratch(t);
  assert.equal(permissionsForOthers(directory), undefined);
  for (const [mode, told] of [
    [0o755, '0755'],
    [0o750, '0750'],
    [0o701, '0701'],
  ] as const) {
    chmodSync(directory, mode);
    assert.equal(permissionsForOthers(directory), told);
  }
});
