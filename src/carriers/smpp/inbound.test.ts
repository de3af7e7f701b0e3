import assert from 'node:assert/strict';
import test from 'node:test';
import { readInbound } from './inbound.ts';
import type { MessagePdu, Tlv } from './pdu.ts';
import { byteTlv, shortTlv, TAGS } from './tlv.ts';

function pduOf(fields: Partial<MessagePdu>): MessagePdu {
  return {
    ...{ command: 'deliverSm', status: 0, sequence: 1, serviceType: '' },
    source: { ton: 1, npi: 1, digits: '821012345678' },
    destination: { ton: 0, npi: 1, digits: '15881234' },
    ...{ esmClass: 0, protocolId: 0, priority: 0, scheduleTime: '', validity: '', registeredDelivery: 0 },
    ...{ replaceIfPresent: 0, dataCoding: 0, defaultMessageId: 0, shortMessage: Buffer.alloc(0), tlvs: [] },
    ...fields,
  };
}

const CODINGS = { dataCoding0: 'gsm', cp949DataCoding: 0x84 } as const;

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();

function textOf(dataCoding: number, shortMessage: Buffer): string | undefined {
  const content = readInbound(pduOf({ dataCoding, shortMessage }), CODINGS)?.content;
  return content?.kind === 'text' ? content.text : undefined;
}

const TEXTS: readonly (readonly [what: string, dataCoding: number, octets: Buffer, text: string])[] = [
  ['GSM 03.38', 0, hex('00 01 1b65 41'), '@£€A'],
  ['ASCII', 1, Buffer.from('abc'), 'abc'],
  ['UTF-8 as octets', 4, Buffer.from('안녕'), '안녕'],
  ['Latin 1', 3, hex('e9'), 'é'],
  ['Shift JIS', 5, hex('8362'), 'ッ'],
  ['Cyrillic', 6, hex('b0'), 'А'],
  ['Hebrew', 7, hex('e0'), 'א'],
  ['UCS-2', 8, ucs2('안녕 😀'), '안녕 😀'],
  ['ISO 2022-JP', 10, hex('1b2442 2422 1b2842'), 'あ'],
  ['KS C 5601', 14, hex('b0a1 41 b3e7'), '가A녕'],
  ['CP949', 14, hex('bdc3b7a1 94ee a2e6'), '시래뷁€'],
  ['CP949 by the data_coding of the carrier', 0x84, hex('bcf6bdc5b0c5bace'), '수신거부'],
  ['UCS-2 with a byte order mark', 8, hex('feff c218 c2e0'), '수신'],
  ['UCS-2 with the octets swapped, as its byte order mark says', 8, hex('fffe 18c2 e0c2'), '수신'],
  ['UTF-8 with a byte order mark', 4, hex('efbbbf 41'), 'A'],
  ['UCS-2 with a message class', 0x18, ucs2('가'), '가'],
  ['GSM 03.38 with a message class', 0xf1, Buffer.from('flash'), 'flash'],
  ['octets with a message class', 0xf5, Buffer.from('바이트'), '바이트'],
  ['a waiting message, in UCS-2', 0xe0, ucs2('가'), '가'],
  ['without control characters', 8, ucs2('a\u0000\u0007\n가\ud800'), 'a\n가\ufffd'],
];

for (const [what, dataCoding, octets, text] of TEXTS) {
  test(`reads ${what}`, () => {
    assert.equal(textOf(dataCoding, octets), text);
  });
}

for (const [what, dataCoding, octets] of [
  ['octets that are no UTF-8', 4, hex('41 ff')],
  ['CP949 that is said to be GSM 03.38 with a message class', 0x10, hex('bcf6bdc5b0c5bace')],
  ['Latin 1 that is said to be GSM 03.38', 0, hex('63 61 66 e9')],
  ['half a character of UCS-2', 8, hex('c218 c2')],
  ['half a character of CP949', 14, hex('b0a1 b0')],
] as const) {
  test(`does not read ${what}`, () => {
    assert.equal(readInbound(pduOf({ dataCoding, shortMessage: octets }), CODINGS), undefined);
  });
}

test('in a part the first and the last character may be cut, and no other', () => {
  const partOf = (octets: string) => {
    const shortMessage = hex(`050003 07 03 02 ${octets}`);
    return readInbound(pduOf({ dataCoding: 14, esmClass: 0x40, shortMessage }), CODINGS)?.content.kind;
  };
  assert.equal(partOf('a1 b0a1 41 b0'), 'part');
  assert.equal(partOf('b0a1 41424344 ffff 41424344 b0a1'), undefined);
});

test('data_coding 0 is the alphabet of the carrier', () => {
  const pdu = pduOf({ shortMessage: hex('b0a1') });
  const read = readInbound(pdu, { ...CODINGS, dataCoding0: 'ks' });
  assert.deepEqual(read?.content, { kind: 'text', text: '가' });
});

test('says who wrote to whom', () => {
  const read = readInbound(pduOf({}), CODINGS);
  assert.deepEqual([read?.from, read?.to], ['+821012345678', '15881234']);
});

const SAR: readonly Tlv[] = [
  shortTlv(TAGS.sarMsgRefNum, 513),
  byteTlv(TAGS.sarTotalSegments, 3),
  byteTlv(TAGS.sarSegmentSeqnum, 2),
];

const PARTS: readonly (readonly [what: string, fields: Partial<MessagePdu>, reference: string])[] = [
  ['a header', { esmClass: 0x40, shortMessage: hex('050003 07 03 02 ac00') }, 'udh 7'],
  ['a header of two octets', { esmClass: 0x40, shortMessage: hex('060804 0201 03 02 ac00') }, 'udh16 513'],
  [
    'a header behind another element',
    { esmClass: 0x40, shortMessage: hex('0b 0504 0b84 23f0 0003 07 03 02 ac00') },
    'udh 7',
  ],
  ['optional parameters', { shortMessage: hex('ac00'), tlvs: SAR }, 'sar 513'],
  [
    'a header in the payload',
    { esmClass: 0x40, tlvs: [{ tag: TAGS.messagePayload, value: hex('050003 07 03 02 ac00') }] },
    'udh 7',
  ],
];

for (const [what, fields, reference] of PARTS) {
  test(`knows a part by ${what}`, () => {
    const read = readInbound(pduOf({ dataCoding: 8, ...fields }), CODINGS);
    assert.deepEqual(read?.content, {
      kind: 'part',
      ...{ reference, part: 2, total: 3, alphabet: 'utf-16be' },
      octets: hex('ac00'),
    });
  });
}

const WHOLE: readonly (readonly [what: string, fields: Partial<MessagePdu>, text: string])[] = [
  ['a payload', { tlvs: [{ tag: TAGS.messagePayload, value: Buffer.from('long') }] }, 'long'],
  ['one part of one', { esmClass: 0x40, shortMessage: hex('050003 07 01 01 41') }, 'A'],
  ['a header without parts', { esmClass: 0x40, shortMessage: hex('0605 04 0b84 23f0 41') }, 'A'],
  ['a header longer than the message', { esmClass: 0x40, shortMessage: hex('41 42') }, 'AB'],
  ['nothing behind the bit of a header', { esmClass: 0x40 }, ''],
  [
    'the fourth part of three',
    { shortMessage: hex('41'), tlvs: [...SAR.slice(0, 2), byteTlv(TAGS.sarSegmentSeqnum, 4)] },
    'A',
  ],
];

for (const [what, fields, text] of WHOLE) {
  test(`reads ${what} as a whole message`, () => {
    const read = readInbound(pduOf(fields), CODINGS);
    assert.deepEqual(read?.content, { kind: 'text', text });
  });
}
