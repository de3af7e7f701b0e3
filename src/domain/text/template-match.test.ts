import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { templateMatches } from './template-match.ts';

const ROWS: readonly (readonly [template: string, message: string, matches: boolean])[] = [
  ['hello', 'hello', true],
  ['hello', 'hello ', false],
  ['', '', true],
  ['', 'x', false],
  ['#{name}', '', true],
  ['#{name}', 'anything\nat all', true],
  ['#{name}님, 반갑습니다', '김철수님, 반갑습니다', true],
  ['#{name}님, 반갑습니다', '님, 반갑습니다', true],
  ['#{name}님, 반갑습니다', '김철수님, 반갑습니다!', false],
  ['order #{no}: #{state}', 'order 17: sent', true],
  ['order #{no}: #{state}', 'order 17 sent', false],
  ['#{a}#{b}', 'x', true],
  ['ab#{x}ba', 'aba', false],
  ['ab#{x}ba', 'abba', true],
  ['#{x}aab#{y}', 'aaab', true],
  ['#{x}abab#{y}c', 'abaababc', true],
  ['#{x}ab#{y}ab', 'ab', false],
  ['a.c', 'abc', false],
  ['#{not closed', '#{not closed', true],
  ['#{not closed', 'anything', false],
];

for (const [template, message, matches] of ROWS) {
  test(`${JSON.stringify(message)} ${matches ? 'is' : 'is not'} what ${JSON.stringify(template)} says`, () => {
    assert.equal(templateMatches(template, message), matches);
  });
}

/** Few letters, so that parts repeat and overlap. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', '가'), maxLength: 8 });

test('a template matches every text made from it', () => {
  const pieces = fc.array(fc.tuple(letters, fc.string({ maxLength: 5 })), { maxLength: 6 });
  fc.assert(
    fc.property(pieces, letters, (parts, tail) => {
      const template = `${parts.map(([part]) => `${part}#{v}`).join('')}${tail}`;
      const message = `${parts.map(([part, value]) => part + value).join('')}${tail}`;
      assert.equal(templateMatches(template, message), true);
    }),
  );
});

test('a template matches the same texts as its regular expression', () => {
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), letters, (parts, message) => {
      const expected = new RegExp(`^${parts.join('[^]*')}$`).test(message);
      assert.equal(templateMatches(parts.join('#{v}'), message), expected);
    }),
    { numRuns: 2000 },
  );
});

const HOSTILE: readonly (readonly [what: string, template: string, message: string])[] = [
  ['many variables', '#{}a'.repeat(20_000), `${'a'.repeat(80_000)}b`],
  ['a part that almost fits everywhere', `#{x}${'a'.repeat(40_000)}b#{y}`, 'a'.repeat(80_000)],
  ['variables that are never closed', '#{'.repeat(40_000), 'a'.repeat(80_000)],
  ['a part with many borders', `#{x}${'ab'.repeat(20_000)}c#{y}`, 'ab'.repeat(40_000)],
];

for (const [what, template, message] of HOSTILE) {
  test(`takes no long time over ${what}, eighty times longer than any message`, () => {
    const start = performance.now();
    assert.equal(templateMatches(template, message), false);
    // A product of these lengths takes seconds; a sum takes milliseconds.
    assert.ok(performance.now() - start < 500);
  });
}
