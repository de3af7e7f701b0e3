import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { countCharacters, fitsCharacters } from './characters.ts';

const CASES = [
  { text: 'abc', count: 3 },
  { text: '봉수', count: 2 },
  { text: '\u1112\u1161\u11ab', count: 1, note: 'a syllable written as three jamo' },
  { text: '👨‍👩‍👧‍👦', count: 1, note: 'a family of seven code points' },
  { text: '🇰🇷', count: 1, note: 'a flag' },
  { text: 'é', count: 1, note: 'a letter and its accent' },
  { text: '', count: 0 },
];

for (const { text, count, note } of CASES) {
  test(`counts ${note ?? JSON.stringify(text)} as ${count}`, () =>
    assert.equal(countCharacters(text), count));
}

test('a text fits if and only if its count is within the limit', () => {
  const character = fc.constantFrom('a', '가', '👨‍👩‍👧‍👦', '🇰🇷');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (list, limit) => {
      const text = list.join('');
      assert.equal(fitsCharacters(text, limit), countCharacters(text) <= limit);
    }),
  );
});

test('nine families do not fit a limit of one', () => {
  assert.equal(fitsCharacters('👨‍👩‍👧‍👦'.repeat(9), 1), false);
});

test('a megabyte is found too long without being segmented to the end', () => {
  assert.equal(fitsCharacters('a'.repeat(1_000_000), 200), false);
  assert.ok(countCharacters('a'.repeat(1_000_000), 200) > 200);
});

test('a text of several times the limit is not counted to the end', () => {
  assert.equal(countCharacters('가'.repeat(400), 100), 400);
  assert.equal(countCharacters('가'.repeat(6400), 100), 401);
});
