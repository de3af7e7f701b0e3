import assert from 'node:assert/strict';
import test from 'node:test';
import type { MessagePdu, Tlv } from './pdu.ts';
import { type Receipt, readReceipt } from './receipt.ts';
import { byteTlv, cStringTlv, TAGS } from './tlv.ts';

function deliverSm(text: string | Buffer, changes: Partial<MessagePdu> = {}): MessagePdu {
  return {
    command: 'deliverSm',
    status: 0,
    sequence: 1,
    serviceType: '',
    source: { ton: 1, npi: 1, digits: '14155550123' },
    destination: { ton: 5, npi: 0, digits: 'Bongsu' },
    esmClass: 4,
    protocolId: 0,
    priority: 0,
    scheduleTime: '',
    validity: '',
    registeredDelivery: 0,
    replaceIfPresent: 0,
    dataCoding: 0,
    defaultMessageId: 0,
    shortMessage: Buffer.from(text),
    tlvs: [],
    ...changes,
  };
}

const final = (messageId: string, reportCode: string): Receipt =>
  ({ kind: 'final', messageId, reportCode, to: '+14155550123', from: 'Bongsu' }) as Receipt;

const TEXTS: [string, string, Receipt][] = [
  [
    'the form of the standard',
    'id:0123456789 sub:001 dlvrd:001 submit date:2601050300 done date:2601050301 stat:DELIVRD err:000 text:hello',
    final('0123456789', '10000'),
  ],
  ['nothing but id and state', 'id:abc stat:UNDELIV', final('abc', '23000')],
  [
    'numbers without zeros and dates with seconds',
    'id:7 sub:1 dlvrd:1 submit date:260105030000 done date:260105030100 stat:DELIVRD err:0 Text:x',
    final('7', '10000'),
  ],
  ['other case', 'ID:7 SUB:001 STAT:delivrd ERR:000', final('7', '10000')],
  ['an alphanumeric error', 'id:7 stat:EXPIRED err:0x1F', final('7', '22000')],
  ['blanks behind the colon', 'id: 7 stat: REJECTD', final('7', '23013')],
  ['a deleted message', 'id:7 stat:DELETED', final('7', '22006')],
  ['an unknown outcome', 'id:7 stat:UNKNOWN', final('7', '99999')],
  ['words in full', 'id:7 status:Undeliverable', final('7', '23000')],
  ['a text that looks like a receipt', 'id:7 stat:DELIVRD text:id:8 stat:REJECTD', final('7', '10000')],
  ['a message on its way', 'id:7 stat:ENROUTE', { kind: 'intermediate', state: 'enroute' }],
  ['a message taken', 'id:7 stat:ACCEPTD', { kind: 'intermediate', state: 'accepted' }],
  ['no id', 'stat:DELIVRD', { kind: 'unreadable', missing: 'id' }],
  ['no state', 'id:7', { kind: 'unreadable', missing: 'state' }],
];
for (const [title, text, expected] of TEXTS) {
  test(`reads a receipt with ${title}`, () => {
    assert.deepEqual(readReceipt(deliverSm(text), 'marked'), expected);
  });
}

test('an unmarked text that looks like a receipt is one only where texts may be, and from a handset', () => {
  const unmarked = deliverSm('id:7 stat:DELIVRD err:000', { esmClass: 0 });
  assert.deepEqual(readReceipt(unmarked, 'marked'), { kind: 'inbound', looksLikeReceipt: true });
  assert.deepEqual(readReceipt(unmarked, 'text'), final('7', '10000'));
  const source = { ton: 5, npi: 0, digits: 'Somebody' };
  assert.deepEqual(readReceipt({ ...unmarked, source }, 'text'), { kind: 'inbound', looksLikeReceipt: true });
});

test('optional parameters mark a receipt as well: no handset can set them', () => {
  const tlvs = [cStringTlv(TAGS.receiptedMessageId, 'a1'), byteTlv(TAGS.messageState, 2)];
  assert.deepEqual(readReceipt(deliverSm('', { tlvs, esmClass: 0 }), 'marked'), final('a1', '10000'));
});

test('what somebody wrote is not a receipt', () => {
  for (const text of ['hello', 'my id:7 please', 'stat: ok, id: 7', '']) {
    assert.deepEqual(
      readReceipt(deliverSm(text, { esmClass: 0 }), 'text'),
      { kind: 'inbound', looksLikeReceipt: false },
      text,
    );
  }
});

const STATES: [number, Receipt][] = [
  [1, { kind: 'intermediate', state: 'enroute' }],
  [2, final('a1', '10000')],
  [3, final('a1', '22000')],
  [4, final('a1', '22006')],
  [5, final('a1', '23000')],
  [6, { kind: 'intermediate', state: 'accepted' }],
  [7, final('a1', '99999')],
  [8, final('a1', '23013')],
];
for (const [state, expected] of STATES) {
  test(`message_state ${state} wins over the text`, () => {
    const tlvs = [cStringTlv(TAGS.receiptedMessageId, 'a1'), byteTlv(TAGS.messageState, state)];
    assert.deepEqual(readReceipt(deliverSm('id:zz stat:DELIVRD', { tlvs }), 'marked'), expected);
  });
}

test('a receipt may come as data_sm, with parameters only or with a payload', () => {
  const { command: _, ...shared } = deliverSm('');
  const data = (tlvs: readonly Tlv[]) => readReceipt({ ...shared, command: 'dataSm', tlvs }, 'marked');
  assert.deepEqual(
    data([cStringTlv(TAGS.receiptedMessageId, 'a1'), byteTlv(TAGS.messageState, 2)]),
    final('a1', '10000'),
  );
  assert.deepEqual(
    data([{ tag: TAGS.messagePayload, value: Buffer.from('id:9 stat:EXPIRED') }]),
    final('9', '22000'),
  );
});

test('control characters in ids are left out, and an id of nothing else is none', () => {
  const withId = (id: string) => {
    const tlvs = [cStringTlv(TAGS.receiptedMessageId, id), byteTlv(TAGS.messageState, 2)];
    return readReceipt(deliverSm('', { tlvs }), 'marked');
  };
  assert.deepEqual(withId('a\u00011'), final('a1', '10000'));
  assert.deepEqual(withId('\u0001\u0002'), { kind: 'unreadable', missing: 'id' });
});

test('a receipt may be written in UCS-2', () => {
  const text = Buffer.from('id:7 stat:DELIVRD', 'utf16le').swap16();
  assert.deepEqual(readReceipt(deliverSm(text, { dataCoding: 8 }), 'marked'), final('7', '10000'));
});

test('where a peer swaps the addresses, the recipient is the one that can be a handset', () => {
  const swapped = deliverSm('id:7 stat:DELIVRD', {
    source: { ton: 5, npi: 0, digits: 'Bongsu' },
    destination: { ton: 1, npi: 1, digits: '14155550123' },
  });
  assert.deepEqual(readReceipt(swapped, 'marked'), final('7', '10000'));
});

for (const [what, ton, digits, to] of [
  ['leaves out', 0, '', ''],
  ['hides by stars', 1, '1415***0123', '+1415***0123'],
  ['hides by letters', 1, '1415555XXXX', '+1415555XXXX'],
  ['hashes', 5, '9f86d081884c7d65', '9f86d081884c7d65'],
] as const) {
  test(`a recipient that the peer ${what} is not swapped with our number`, () => {
    const receipt = readReceipt(
      deliverSm('id:7 stat:DELIVRD', {
        source: { ton, npi: 1, digits },
        destination: { ton: 2, npi: 1, digits: '0212345678' },
      }),
      'marked',
    );
    assert.deepEqual(receipt, {
      kind: 'final',
      ...{ messageId: '7', reportCode: '10000', to, from: '0212345678' },
    });
  });
}
