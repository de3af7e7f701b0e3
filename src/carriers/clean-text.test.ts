import assert from 'node:assert/strict';
import test from 'node:test';
import { cleanText } from './clean-text.ts';

const ROWS: [string, string, string][] = [
  ['ordinary text stays as it is', 'msg-01/한글 😀', 'msg-01/한글 😀'],
  ['control characters go', 'a\0b\x1fc\x7fd\x85e\r\n', 'abcde'],
  ['halves of characters are replaced', 'a\ud83db\ude00', 'a\ufffdb\ufffd'],
  ['long text is cut', 'x'.repeat(300), 'x'.repeat(200)],
  ['a cut through a character leaves no half', `${'x'.repeat(199)}😀`, `${'x'.repeat(199)}\ufffd`],
];

for (const [name, given, expected] of ROWS) {
  test(name, () => assert.equal(cleanText(given), expected));
}
