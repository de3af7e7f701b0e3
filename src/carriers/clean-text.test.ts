import assert from 'node:assert/strict';
import test from 'node:test';
import { cleanText, shownWords } from './clean-text.ts';

const CASES: [string, string, string][] = [
  ['plain text', 'a1B2-c3', 'a1B2-c3'],
  ['Korean and an emoji', '전송 완료 🎉', '전송 완료 🎉'],
  ['a NUL', 'ab\u0000cd', 'abcd'],
  ['line breaks, tabs, DEL and C1', 'a\r\nb\tc\u007fd\u0085e', 'abcde'],
  ['the first half of a pair', 'a\ud83cb', 'ab'],
  ['the second half of a pair', '\udf89a', 'a'],
  ['nothing but control characters', '\u0000\u0007', ''],
];
for (const [what, given, kept] of CASES) {
  test(`${what} becomes ${JSON.stringify(kept)}`, () => assert.equal(cleanText(given), kept));
}

test('is cut to two hundred characters, and never through a pair', () => {
  assert.equal(cleanText('x'.repeat(300)).length, 200);
  assert.equal(cleanText(`${'x'.repeat(199)}🎉`), 'x'.repeat(199));
  assert.equal(cleanText('abcdef', 3), 'abc');
});

test('words of a carrier have no number of a recipient, however it is written', () => {
  for (const number of [
    ...['01098765432', '010-9876-5432', '010 9876 5432', '+821098765432', '+82 10 9876 5432'],
    ...['(010) 9876-5432', '82-10-9876-5432', '+1 (415) 555-0123', '15881234'],
  ]) {
    assert.equal(shownWords(`no route to ${number}, code 31`), 'no route to …, code 31');
  }
  assert.equal(shownWords('status 0x0b at 10.0.0.1:2775'), 'status 0x0b at 10.0.0.1:2775');
});
