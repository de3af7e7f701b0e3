import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import type { Values } from '../tables/tables.ts';
import { rewrite } from './rewrite.ts';

const REWRITTEN: Readonly<Record<string, string>> = {
  'a = :one AND b = :two AND c = :one': 'a = ?1 AND b = ?2 AND c = ?1',
  'at = :at::bigint, who = coalesce(:who::text, who)': 'at = ?1, who = coalesce(?2, who)',
  'count(*)::integer': 'count(*)',
  'id = ANY (:ids::bigint[])': 'id IN (SELECT value FROM json_each(?1))',
  'id = ANY (ARRAY(SELECT id FROM t LIMIT 3))': 'id IN (SELECT * FROM (SELECT id FROM t LIMIT 3))',
  'SELECT id FROM t FOR UPDATE SKIP LOCKED': 'SELECT id FROM t',
  'SELECT id FROM t ORDER BY id\n  FOR NO KEY UPDATE': 'SELECT id FROM t ORDER BY id',
  'ORDER BY name COLLATE "C", id': 'ORDER BY name, id',
  "SELECT nextval(pg_get_serial_sequence('t', 'id')) AS id":
    "SELECT (SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 't') AS id",
  'INSERT INTO t (id) OVERRIDING SYSTEM VALUE SELECT 1': 'INSERT INTO t (id) SELECT 1',
  'FROM t /* INDEXED BY i */ WHERE true': 'FROM t INDEXED BY i WHERE true',
  'LIMIT ALL OFFSET :most': 'LIMIT -1 OFFSET ?1',
  'EXISTS (SELECT 1 FROM t OFFSET 0)': 'EXISTS (SELECT 1 FROM t)',
  'LIMIT 1 OFFSET 4999': 'LIMIT 1 OFFSET 4999',
};

for (const [given, wanted] of Object.entries(REWRITTEN)) {
  test(`rewrites ${given.replaceAll(/\s+/g, ' ')}`, () => assert.equal(rewrite(given).text, wanted));
}

/** Runs a rewritten statement on animals. */
function ask(given: string, values: Values = {}): unknown[] {
  const db = new DatabaseSync(':memory:');
  db.exec(`
    CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT, legs INTEGER, farm TEXT);
    INSERT INTO animal (name, legs, farm) VALUES ('cow', 4, 'a'), ('hen', 2, 'a'), ('hen', 2, 'b'), ('eel', 0, NULL)`);
  const { text, valuesOf } = rewrite(given);
  const rows = db.prepare(text).all(...valuesOf(values));
  db.close();
  return rows.map(row => Object.values(row).join(' '));
}

test('a list is looked for', () => {
  const text = 'SELECT id FROM animal WHERE name = ANY (:names::text[]) AND legs = ANY (:legs::integer[])';
  assert.deepEqual(ask(text, { names: ['cow', 'hen', 'owl'], legs: [2] }), ['2', '3']);
  assert.deepEqual(ask(text, { names: [], legs: [2] }), []);
});

test('lists become rows, in their order and with NULL, quotes and backslashes', () => {
  const text = `SELECT position, name, legs, name IS NULL AS none
    FROM unnest(:names::text[], :legs::integer[]) WITH ORDINALITY AS given (name, legs, position)
    ORDER BY position DESC`;
  assert.deepEqual(ask(text, { names: ['"', null, '\\{}'], legs: [1, 2, null] }), [
    '3 \\{}  0',
    '2  2 1',
    '1 " 1 0',
  ]);
  const one = 'SELECT name, position FROM unnest(:x.names::text[]) WITH ORDINALITY AS given (name, position)';
  assert.deepEqual(ask(one, { 'x.names': ['owl', 'cow'] }), ['owl 1', 'cow 2']);
});

test('text in a list that is no Unicode becomes what it is as a single value', () => {
  const text = 'SELECT hex(name) FROM unnest(:names::text[], :legs::integer[]) AS given (name, legs)';
  assert.deepEqual(ask(text, { names: ['\ud800'], legs: [1] }), ['EFBFBD']);
});

test('each row of a list is looked for by itself', () => {
  const text = `
    SELECT found.id FROM unnest(:names::text[], :farms::text[]) AS given (wanted, on_farm)
     CROSS JOIN LATERAL (
       SELECT * FROM animal WHERE name = wanted AND farm = coalesce(on_farm, farm) OFFSET 0) AS found
     ORDER BY id DESC LIMIT :most::integer`;
  assert.deepEqual(ask(text, { names: ['hen', 'cow'], farms: ['b', null], most: 9 }), ['3', '1']);
  assert.deepEqual(ask(text, { names: ['hen', 'eel'], farms: [null, null], most: 9 }), ['3', '2']);
});

test('a row of a list for which nothing is found stays in a LEFT JOIN', () => {
  const text = `
    SELECT wanted, found.id FROM unnest(:names::text[]) AS given (wanted)
      LEFT JOIN LATERAL (
        SELECT * FROM animal WHERE name = wanted AND legs = 2 ORDER BY id LIMIT 1000 OFFSET 0) AS found ON true
     ORDER BY wanted, id`;
  assert.deepEqual(ask(text, { names: ['owl', 'hen'] }), ['hen 2', 'hen 3', 'owl ']);
});

test('booleans are numbers', () => {
  const text = 'SELECT id FROM animal WHERE legs > 0 OR NOT :onLegs::boolean';
  assert.equal(ask(text, { onLegs: true }).length, 3);
  assert.equal(ask(text, { onLegs: false }).length, 4);
});

test('refuses a statement without one of its values, and numbers that are not whole', () => {
  assert.throws(() => rewrite('a = :one').valuesOf({}), /no value for :one/);
  assert.throws(() => rewrite('a = ANY (:ids::bigint[])').valuesOf({ ids: [1, 1.5] }), RangeError);
});
