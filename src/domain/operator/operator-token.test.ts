import assert from 'node:assert/strict';
import test from 'node:test';
import { isOperatorToken, parseOperatorName } from './operator-token.ts';
import { ROLES, reaches } from './role.ts';

test('names are what people write, in one form, and none looks like the admin token in the log', () => {
  for (const [given, expected] of [
    [' kim ', 'kim'],
    ['김 철수', '김 철수'],
    ['김'.normalize('NFD'), '김'],
    ['o.kim@example.com', 'o.kim@example.com'],
    ['ｋｉｍ', 'kim'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ...['', ' ', 'admin', 'ADMIN', 'ａｄｍｉｎ', 'a'.repeat(65), 'a'.repeat(1_000_000)].map(
      name => [name, undefined] as const,
    ),
    // A zero-width space, a change of direction, a NUL, a line break, mark-up, half a character.
    ...['ki\u200bm', '\u202ekim', 'k\0m', 'kim\nlee', '<b>kim', 'kim\ud800'].map(
      name => [name, undefined] as const,
    ),
    [7, undefined],
    [null, undefined],
  ] as const) {
    assert.equal(parseOperatorName(given), expected, JSON.stringify(given)?.slice(0, 80));
  }
});

test('only what has the form of a token is looked up', () => {
  const token = `bongsu_op_${'0'.repeat(32)}`;
  assert.equal(isOperatorToken(token), true);
  for (const other of [token.slice(1), `${token}0`, token.toLowerCase().replace('0', 'a'), `${token}\n`]) {
    assert.equal(isOperatorToken(other), false, other);
  }
});

test('a role may do what the ones before it may', () => {
  const table = ROLES.map(role => ROLES.map(least => reaches(role, least)));
  assert.deepEqual(table, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});
