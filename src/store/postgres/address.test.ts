import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionConfigOf } from './address.ts';

test('settings of ours come first, so that those of the address win and can be refused', () => {
  const { direct, pooled, settings } = sessionConfigOf(
    'postgres://u:p%40ss@h:1/d?synchronous_commit=off&options=-c%20geqo%3Doff&sslmode=require',
    { synchronous_commit: 'on', default_transaction_isolation: 'read committed' },
  );
  assert.deepEqual(pooled, { connectionString: direct.connectionString });
  assert.deepEqual(settings.slice(2), [
    ['synchronous_commit', 'off'],
    ['geqo', 'off'],
  ]);
  assert.equal(direct.connectionString, 'postgres://u:p%40ss@h:1/d?sslmode=require&uselibpqcompat=true');
  assert.equal(
    direct.options,
    '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed -c synchronous_commit=off -c geqo=off',
  );
});

test('an invalid address is refused and not shown', () => {
  assert.throws(() => sessionConfigOf('postgres://u:secret@:99999/d', {}), {
    message: 'the address of the database is not a URL',
  });
});
