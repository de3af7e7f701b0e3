import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import splitter from 'split-sms';
import { segmentText } from '../../domain/text/sms-segments.ts';
import { alphabetsOf, type DefaultAlphabet } from './alphabets.ts';
import { decodeGsm } from './gsm-alphabet.ts';
import { type LongMessages, References, TextEncoding, type TextPart } from './text-parts.ts';
import { numberTlv, TAGS, tlvOf } from './tlv.ts';

function encoding(
  longMessages: LongMessages = 'udh',
  dataCoding0: DefaultAlphabet = 'gsm',
  korean: 'ucs2' | 'cp949' = 'ucs2',
): TextEncoding {
  return new TextEncoding(alphabetsOf({ dataCoding0, korean, cp949DataCoding: 14 }), longMessages);
}

function partsOf(encoder: TextEncoding, text: string): readonly TextPart[] {
  const parts = encoder.split(text, () => 0x1234);
  assert.ok(parts);
  assert.equal(encoder.count(text), parts.length);
  return parts;
}

function textOf({ dataCoding, esmClass, shortMessage }: TextPart): string {
  const octets = Buffer.from(shortMessage.subarray(esmClass & 0x40 ? 6 : 0));
  if (dataCoding === 0) return decodeGsm(octets);
  return octets.swap16().toString('utf16le');
}

const gsmText = fc.string({ unit: fc.constantFrom(...'aZ 0@Δé€[]{}\n'), maxLength: 800 });
const anyText = fc.string({ unit: 'binary', maxLength: 300 }).filter(text => text.isWellFormed());
const koreanText = fc.string({ unit: fc.constantFrom(...'가힣뷁 a1😀'), maxLength: 300 });

for (const [alphabet, texts] of [
  ['GSM text', gsmText],
  ['Korean text with emoji', koreanText],
  ['any text', anyText],
] as const) {
  test(`splits ${alphabet} as the contract counts it and as an independent splitter does`, () => {
    fc.assert(
      fc.property(texts, text => {
        const parts = partsOf(encoding(), text).map(textOf);
        assert.deepEqual(parts, segmentText(text).parts);
        if (text !== '')
          assert.deepEqual(
            parts,
            splitter.split(text).parts.map(({ content }) => content),
          );
      }),
    );
  });
}

test('what GSM 03.38 holds is labelled data_coding 0, anything else 8', () => {
  assert.deepEqual(
    ['hello @ €[]', 'ç', 'ê', '안녕'].map(text => partsOf(encoding(), text)[0]?.dataCoding),
    [0, 8, 8, 8],
  );
  assert.equal(Buffer.from(partsOf(encoding(), '@€[')[0]?.shortMessage ?? []).toString('hex'), '001b651b3c');
});

test('each part begins with the header of its message, its number and its place', () => {
  const parts = partsOf(encoding(), 'a'.repeat(400));
  assert.deepEqual(
    parts.map(({ esmClass, shortMessage }) => [
      esmClass,
      Buffer.from(shortMessage.subarray(0, 6)).toString('hex'),
      shortMessage.length,
    ]),
    [
      [0x40, '050003340301', 159],
      [0x40, '050003340302', 159],
      [0x40, '050003340303', 100],
    ],
  );
});

test('with sar the number of the part is in optional parameters', () => {
  const parts = partsOf(encoding('sar'), '가'.repeat(71));
  assert.deepEqual(
    parts.map(({ esmClass, shortMessage, tlvs }) => [
      esmClass,
      shortMessage.length,
      numberTlv(tlvs, TAGS.sarMsgRefNum, 2),
      numberTlv(tlvs, TAGS.sarTotalSegments, 1),
      numberTlv(tlvs, TAGS.sarSegmentSeqnum, 1),
    ]),
    [
      [0, 134, 0x1234, 2, 1],
      [0, 8, 0x1234, 2, 2],
    ],
  );
});

test('with payload a long text is one submit, and a short one is an ordinary message', () => {
  const encoder = encoding('payload');
  const [long] = partsOf(encoder, 'a'.repeat(161));
  assert.equal(long?.shortMessage.length, 0);
  assert.equal(tlvOf(long?.tlvs ?? [], TAGS.messagePayload)?.length, 161);
  const [short] = partsOf(encoder, 'a'.repeat(160));
  assert.deepEqual([short?.shortMessage.length, short?.tlvs], [160, []]);
});

test('a text that no message can hold is refused, not cut', () => {
  assert.equal(
    encoding().split('a'.repeat(153 * 255 + 1), () => 1),
    undefined,
  );
  assert.equal(
    encoding('payload').split('a'.repeat(65_536), () => 1),
    undefined,
  );
});

test('data_coding 0 may mean Latin-1 or ASCII, with the parts of GSM', () => {
  const latin1 = encoding('udh', 'latin1');
  assert.equal(Buffer.from(partsOf(latin1, 'ça @')[0]?.shortMessage ?? []).toString('latin1'), 'ça @');
  assert.equal(partsOf(latin1, '€')[0]?.dataCoding, 8);
  assert.equal(partsOf(encoding('udh', 'ascii'), 'ç')[0]?.dataCoding, 8);
  assert.equal(partsOf(encoding('udh', 'ascii'), '['.repeat(80)).length, 1);
  assert.equal(partsOf(encoding('udh', 'ascii'), '['.repeat(81)).length, 2);
});

test('CP949 is that of an independent encoder, for every character of the plane', () => {
  const encoder = encoding('udh', 'gsm', 'cp949');
  for (let unit = 0x80; unit < 0x10000; unit++) {
    if ((unit >= 0xd800 && unit <= 0xdfff) || (unit >= 0xe000 && unit <= 0xf8ff)) continue;
    const character = String.fromCharCode(unit);
    const [part] = partsOf(encoder, character);
    if (part?.dataCoding === 0) continue;
    const expected = iconv.encode(character, 'cp949');
    // The other encoder writes a question mark for what it does not have, and a later sign that handsets lack.
    const isKnown = expected.length === 2;
    assert.equal(part?.dataCoding, isKnown ? 0x0e : 8, character);
    if (isKnown) assert.deepEqual(Buffer.from(part?.shortMessage ?? []), expected, character);
  }
});

test('CP949 parts never cut a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'가뷁a '), maxLength: 400 }), text => {
      const parts = partsOf(encoding('udh', 'ks'), text);
      const joined = parts.map(({ esmClass, shortMessage }) =>
        iconv.decode(Buffer.from(shortMessage.subarray(esmClass ? 6 : 0)), 'cp949'),
      );
      assert.equal(joined.join(''), text);
      assert.ok(joined.every(part => !part.includes('\ufffd')));
      assert.ok(parts.every(({ shortMessage }) => shortMessage.length <= 140));
    }),
  );
});

test('references to one recipient differ from one message to the next', () => {
  const references = new References(0.5);
  const seen = Array.from({ length: 256 }, () => references.next('+14155550123') & 0xff);
  assert.equal(new Set(seen).size, 256);
});
