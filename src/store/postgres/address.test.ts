import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientConfigOf } from './address.ts';

test('settings of ours come first, so that those of the address win and can be refused', () => {
  const { connectionString, options } = clientConfigOf(
    'postgres://u:p%40ss@h:1/d?synchronous_commit=off&options=-c%20geqo%3Doff&sslmode=require',
    { synchronous_commit: 'on', default_transaction_isolation: 'read committed' },
  );
  assert.equal(connectionString, 'postgres://u:p%40ss@h:1/d?sslmode=require&uselibpqcompat=true');
  assert.equal(
    options,
    '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c synchronous_commit=off -c geqo=off',
  );
});

test('an address that is none is refused without telling it', () => {
  assert.throws(() => clientConfigOf('postgres://u:secret@:99999/d', {}), {
    message: 'the address of the database is not a URL',
  });
});
