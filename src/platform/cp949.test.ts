import assert from 'node:assert/strict';
import test from 'node:test';
import iconv from 'iconv-lite';
import { decodeCp949, readCp949 } from './cp949.ts';

test('reads every code of two octets as iconv-lite does, and no other', () => {
  let count = 0;
  for (let lead = 0x80; lead <= 0xff; lead++) {
    for (let trail = 0x30; trail <= 0xff; trail++) {
      const octets = Buffer.from([lead, trail]);
      const theirs = iconv.decode(octets, 'cp949');
      const isCharacter = theirs.length === 1 && !/[\ufffd\ue000-\uf8ff]/.test(theirs);
      const ours = decodeCp949(octets);
      assert.equal(ours, isCharacter ? theirs : undefined, octets.toString('hex'));
      if (isCharacter) count++;
    }
  }
  assert.equal(count, 17_048);
});

test('octets that are no character stand alone', () => {
  assert.equal(readCp949(iconv.encode('뷁 a가', 'cp949')), '뷁 a가');
  assert.equal(
    readCp949(Buffer.from([0xb0, 0xa1, 0xff, 0x41, 0xff, 0xff, 0x42, 0xb0])),
    '가\ufffdA\ufffdB\ufffd',
  );
});
