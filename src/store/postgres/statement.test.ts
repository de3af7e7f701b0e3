import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Statements } from './statement.ts';

test('a list becomes the text of an array, whatever its strings hold', () => {
  const { values } = new Statements().of('SELECT $1', [
    ['plain', '', 'NULL', 'a "b" \\c', '{,}', ' 한글\n'],
    [1, -2, null, 0.5],
    [],
    'as it is "\\',
    true,
    null,
    7,
  ]);
  assert.deepEqual(values, [
    '{"plain","","NULL","a \\"b\\" \\\\c","{,}"," 한글\n"}',
    '{1,-2,NULL,0.5}',
    '{}',
    'as it is "\\',
    'true',
    null,
    '7',
  ]);
});

test('parameters by name are numbered in the order of the text, one that is used twice only once', () => {
  const text = 'SELECT :to::text, :list.step::integer[], :from WHERE :to IS NOT NULL';
  const statement = new Statements().of(text, { from: 1, to: 'b', 'list.step': [3, 4], unused: 5 });
  assert.equal(statement.text, 'SELECT $1::text, $2::integer[], $3 WHERE $1 IS NOT NULL');
  assert.deepEqual(statement.values, ['b', '{3,4}', '1']);
});

test('a parameter without a value is a bug, not NULL', () => {
  assert.throws(() => new Statements().of('SELECT :to', { from: 1 }), /no value for :to/);
});

test('a statement with parameters is prepared under a name of its text', () => {
  const statements = new Statements();
  const [one, again, other] = ['SELECT $1', 'SELECT $1', 'SELECT $1::text'].map(text =>
    statements.of(text, [1]),
  );
  assert.equal(one?.name, again?.name);
  assert.notEqual(one?.name, other?.name);
  assert.equal(statements.of('SELECT 1').name, undefined);
});

test('what may change something is known by its text', () => {
  const isWrite = (text: string) => new Statements().of(text).isWrite;
  for (const text of [
    'INSERT INTO a VALUES (1)',
    'WITH gone AS (DELETE FROM a RETURNING b) SELECT * FROM gone',
    'update a set b = 1',
    "SELECT pg_notify('a', 'b')",
    'SELECT * FROM a FOR UPDATE; UPDATE a SET b = 1',
  ])
    assert.equal(isWrite(text), true, text);
  for (const text of [
    'SELECT updated_at, created_at FROM a',
    'SELECT * FROM a FOR UPDATE SKIP LOCKED',
    'SELECT * FROM a FOR NO KEY UPDATE',
  ])
    assert.equal(isWrite(text), false, text);
});
