import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { measureEucKr } from './euc-kr.ts';

test('counts ASCII as one byte and Hangul as two', () => {
  assert.deepEqual(measureEucKr('abc'), { bytes: 3 });
  assert.deepEqual(measureEucKr('봉수'), { bytes: 4 });
  assert.deepEqual(measureEucKr('가'.repeat(45)), { bytes: 90 });
});

test('knows every Hangul syllable, also those only CP949 has', () => {
  for (let point = 0xac00; point <= 0xd7a3; point++) {
    assert.deepEqual(measureEucKr(String.fromCodePoint(point)), { bytes: 2 });
  }
});

test('names the first character that EUC-KR does not have', () => {
  assert.deepEqual(measureEucKr('커피 ☕ 한 잔 😀'), { outside: '☕' });
  assert.deepEqual(measureEucKr('좋아요 😀'), { outside: '😀' });
});

test('agrees with an independent codec on every character of the basic plane', () => {
  for (let point = 0x80; point < 0x10000; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const encoded = iconv.encode(character, 'cp949');
    const isKnown = iconv.decode(encoded, 'cp949') === character;
    const measured = measureEucKr(character);
    assert.deepEqual(
      measured,
      isKnown ? { bytes: encoded.length } : { outside: character },
      point.toString(16),
    );
  }
});

test('the length of a text is the sum of its characters', () => {
  const character = fc.constantFrom('a', '\n', '가', '힣', '①', '漢');
  fc.assert(
    fc.property(fc.array(character), list => {
      const sum = list.reduce((bytes, each) => bytes + iconv.encode(each, 'cp949').length, 0);
      assert.deepEqual(measureEucKr(list.join('')), { bytes: sum });
    }),
  );
});
