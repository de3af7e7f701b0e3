import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeText } from './text-file.ts';

/** "to,이름" and "01012345678,똠" as Excel in Korean saves them; the last is in CP949 and not in EUC-KR. */
const CP949 = [
  ...[0x74, 0x6f, 0x2c, 0xc0, 0xcc, 0xb8, 0xa7, 0x0d, 0x0a],
  ...Buffer.from('01012345678,'),
  ...[0x8c, 0x63, 0x0d, 0x0a],
];

test('text is read in the encodings of spreadsheets', () => {
  assert.equal(decodeText(Uint8Array.from(CP949)), 'to,이름\r\n01012345678,똠\r\n');
  assert.equal(decodeText(Buffer.from('to,이름\n똠')), 'to,이름\n똠');
  assert.equal(decodeText(Buffer.from('\ufeffto,이름')), 'to,이름');
  assert.equal(decodeText(Buffer.from('\ufeffto,이름', 'utf16le')), 'to,이름');
  assert.equal(decodeText(new Uint8Array()), '');
  assert.equal(decodeText(Uint8Array.from([0x61, 0xff, 0xff])), undefined);
});
