import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import splitter from 'split-sms';
import { MAX_PARTS, segmentText, unitsLimit } from './sms-segments.ts';

// Specification, international rule 3: each row is a length and the parts it takes.
const LIMITS = [
  { alphabet: 'GSM', character: 'a', length: 160, parts: 1 },
  { alphabet: 'GSM', character: 'a', length: 161, parts: 2 },
  { alphabet: 'GSM', character: 'a', length: 306, parts: 2 },
  { alphabet: 'GSM', character: 'a', length: 307, parts: 3 },
  { alphabet: 'GSM', character: 'a', length: 765, parts: 5 },
  { alphabet: 'GSM', character: 'a', length: 766, parts: 6 },
  { alphabet: 'GSM extension', character: '€', length: 80, parts: 1 },
  { alphabet: 'GSM extension', character: '€', length: 81, parts: 2 },
  { alphabet: 'GSM extension', character: '€', length: 76 * 5, parts: 5 },
  { alphabet: 'GSM extension', character: '€', length: 76 * 5 + 1, parts: 6 },
  { alphabet: 'local', character: '가', length: 70, parts: 1 },
  { alphabet: 'local', character: '가', length: 71, parts: 2 },
  { alphabet: 'local', character: '가', length: 335, parts: 5 },
  { alphabet: 'local', character: '가', length: 336, parts: 6 },
  { alphabet: 'emoji', character: '😀', length: 35, parts: 1 },
  { alphabet: 'emoji', character: '😀', length: 36, parts: 2 },
  { alphabet: 'emoji', character: '😀', length: 33 * 5, parts: 5 },
];

test('a text has at most five parts: 765 characters of GSM, 335 of other alphabets', () => {
  assert.deepEqual([MAX_PARTS, unitsLimit('gsm7'), unitsLimit('ucs2')], [5, 765, 335]);
});

for (const { alphabet, character, length, parts } of LIMITS) {
  test(`${length} characters of ${alphabet} take ${parts} part${parts === 1 ? '' : 's'}`, () => {
    assert.equal(segmentText(character.repeat(length)).parts.length, parts);
  });
}

test('one character outside GSM turns the whole text into UCS-2', () => {
  assert.equal(segmentText('a'.repeat(160)).encoding, 'gsm7');
  const mixed = segmentText(`${'a'.repeat(159)}가`);
  assert.deepEqual([mixed.encoding, mixed.parts.length], ['ucs2', 3]);
});

test('an escape pair is not split over two parts', () => {
  const { parts } = segmentText(`${'a'.repeat(152)}€${'b'.repeat(20)}`);
  assert.equal(parts[0], 'a'.repeat(152));
  assert.equal(parts[1], `€${'b'.repeat(20)}`);
});

test('a surrogate pair is not split over two parts', () => {
  const { parts } = segmentText(`${'가'.repeat(66)}😀${'나'.repeat(20)}`);
  assert.equal(parts[0], '가'.repeat(66));
  assert.equal(parts[1], `😀${'나'.repeat(20)}`);
});

test('agrees with an independent splitter on any text', () => {
  const character = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...'abcXYZ 019@£ñß') },
    { weight: 3, arbitrary: fc.constantFrom(...'^{}\\[~]|€') },
    { weight: 2, arbitrary: fc.constantFrom('가', '힣', 'ㄱ', '漢', '😀', '\u{1F1F0}') },
  );
  const gsmOnly = fc.constantFrom(...'abcXYZ 019@£ñß^{}\\[~]|€');
  const texts = fc.oneof(
    fc.array(character, { maxLength: 500 }).map(list => list.join('')),
    fc.array(gsmOnly, { maxLength: 900 }).map(list => list.join('')),
  );
  fc.assert(
    fc.property(texts, text => {
      const ours = segmentText(text);
      const theirs = splitter.split(text);
      assert.equal(ours.parts.length, Math.max(1, theirs.parts.length));
      assert.deepEqual(
        ours.parts,
        theirs.parts.map(part => part.content),
      );
      assert.equal(ours.parts.join(''), text);
    }),
    { numRuns: 400 },
  );
});
