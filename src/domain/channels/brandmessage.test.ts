import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../request/problem.ts';
import { type BrandmessageStep, parseBrandmessage, parseBrandmessageEntry } from './brandmessage.ts';
import { MAX_DEPTH, MAX_TEXT, MAX_VALUES } from './brandmessage-variables.ts';
import { FRIENDTALK_TYPE_WORDS, friendtalkRow } from './friendtalk/types.ts';

const PATH = 'messageFlow[0].brandmessage';
const FREE = { senderKey: 'senderKey', sendType: 'free', msgType: 'FT', text: '안녕' };
const BASIC = {
  senderKey: 'senderKey',
  sendType: 'basic',
  msgType: 'FT',
  templateCode: 'code',
  targeting: 'M',
};

function step(entry: object): BrandmessageStep {
  const result = parseBrandmessageEntry(entry, 'final', PATH);
  assert.ok(!(result instanceof Problem), JSON.stringify(result));
  return result;
}

function refusal(entry: object): [string, string] {
  const result = parseBrandmessageEntry(entry, 'final', PATH);
  assert.ok(result instanceof Problem, JSON.stringify(result));
  return [result.code, result.result];
}

test('reads a free single send with image, button and fallback', () => {
  const button = [{ type: 'BK', name: 'name' }];
  const fallback = { type: 'SMS', from: '0316281500', text: 'text' };
  const body = { ...FREE, msgType: 'FI', to: '01012341234', imgUrl: 'i', button, fallback, ref: 'mine' };
  assert.deepEqual(parseBrandmessage(body), {
    to: '01012341234',
    ref: 'mine',
    flow: [
      { channel: 'brandmessage', ...FREE, msgType: 'FI', attachment: { image: { imgUrl: 'i' }, button } },
      { channel: 'sms', from: '0316281500', text: 'text' },
    ],
  });
});

test('reads a template with its variables as the client wrote them', () => {
  const variables = {
    messageVariable: { name: '', count: 3 },
    buttonVariable: { link: 'l' },
    couponVariable: { rate: 10 },
    videoVariable: { url: 'v' },
    commerceVariable: { price: null, sold: true },
    carouselVariable: [{ message_variable: { a: 'b' } }, { message_variable: {} }],
    imageVariable: [{ imgUrl: 'i', imgLink: 'l' }],
  };
  assert.deepEqual(step({ ...BASIC, ...variables }), { channel: 'brandmessage', ...BASIC, ...variables });
});

for (const name of ['imageVariable', 'carouselVariable']) {
  test(`takes ${name} as an object or as a list`, () => {
    step({ ...BASIC, [name]: { imgUrl: 'i' } });
    step({ ...BASIC, [name]: [{ imgUrl: 'i' }] });
    assert.equal(refusal({ ...BASIC, [name]: 'i' })[0], 'A011');
  });
}

for (const name of [
  'messageVariable',
  'buttonVariable',
  'couponVariable',
  'videoVariable',
  'commerceVariable',
]) {
  test(`takes ${name} as an object only`, () => {
    step({ ...BASIC, [name]: { a: 'b' } });
    assert.equal(refusal({ ...BASIC, [name]: ['a'] })[0], 'A011');
    assert.equal(refusal({ ...BASIC, [name]: 'a' })[0], 'A011');
  });
}

function nested(levels: number): object {
  let value: object = { leaf: 'x' };
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

function wide(length: number): object {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index]));
}

const VARIABLE_BOUNDS = [
  { what: `${MAX_DEPTH} levels`, within: nested(MAX_DEPTH), beyond: nested(MAX_DEPTH + 1) },
  { what: `${MAX_VALUES} values`, within: wide(MAX_VALUES), beyond: wide(MAX_VALUES + 1) },
  {
    what: `texts of ${MAX_TEXT} characters`,
    within: { a: 'x'.repeat(MAX_TEXT) },
    beyond: { a: 'x'.repeat(MAX_TEXT + 1) },
  },
  { what: 'texts that can be stored', within: { a: '가😀' }, beyond: { a: '\ud800' } },
  { what: 'names that can be stored', within: { 가: 'a' }, beyond: { 'a\0': 'a' } },
];

for (const { what, within, beyond } of VARIABLE_BOUNDS) {
  test(`bounds variables by ${what}`, () => {
    step({ ...BASIC, messageVariable: within });
    assert.equal(refusal({ ...BASIC, messageVariable: beyond })[0], 'A300');
  });
}

test('variables nested without end are refused, not followed', () => {
  assert.equal(refusal({ ...BASIC, messageVariable: nested(100_000) })[0], 'A300');
});

const MISSING = { senderKey: 'A502', sendType: 'A571', msgType: 'A523', to: 'A306' };

for (const [field, code] of Object.entries(MISSING)) {
  test(`answers ${code} when ${field} is missing`, () => {
    const result = parseBrandmessage({ ...FREE, to: '01012341234', [field]: '' });
    assert.ok(result instanceof Problem);
    assert.deepEqual([result.code, result.result], [code, `"${field}" is required`]);
  });
}

for (const sendType of ['basic', 'template']) {
  test(`answers A505 to sendType ${sendType} without a template`, () => {
    assert.deepEqual(refusal({ ...BASIC, sendType, templateCode: null }), [
      'A505',
      `"${PATH}.templateCode" is required for sendType ${sendType}`,
    ]);
  });

  test(`sendType ${sendType} leaves the content of every type to the template`, () => {
    for (const msgType of FRIENDTALK_TYPE_WORDS) step({ ...BASIC, sendType, msgType });
  });
}

test('sendType free needs the content of its type', () => {
  for (const msgType of FRIENDTALK_TYPE_WORDS) {
    const [, result] = refusal({ senderKey: 'k', sendType: 'free', msgType });
    assert.match(result, new RegExp(`is required for msgType ${msgType}$`));
  }
});

test('the text of each type is bounded, whatever the sendType', () => {
  for (const msgType of FRIENDTALK_TYPE_WORDS) {
    const most = friendtalkRow(msgType).text;
    step({ ...BASIC, msgType, text: '가'.repeat(most) });
    assert.equal(refusal({ ...BASIC, msgType, text: '가'.repeat(most + 1) })[0], 'A328');
  }
});

for (const targeting of ['M', 'N', 'I', 'O']) {
  test(`takes ${targeting} for targeting`, () => {
    assert.equal(step({ ...BASIC, targeting }).targeting, targeting);
  });
}

const REFUSED = [
  { change: { targeting: 'X' }, code: 'A570' },
  { change: { sendType: 'paid' }, code: 'A571' },
  { change: { msgType: 'AT' }, code: 'A523' },
  { change: { originCID: '1234567890' }, code: 'A300' },
  { change: { unsubscribePhoneNumber: '0'.repeat(14) }, code: 'A300' },
  { change: { unsubscribeAuthNumber: '0'.repeat(11) }, code: 'A300' },
  { change: { groupTagKey: 'x'.repeat(41) }, code: 'A300' },
  { change: { adults: 'X' }, code: 'A569' },
  { change: { carousel: { list: [1] } }, code: 'A568' },
  { change: { button: Array.from({ length: 6 }, () => ({ type: 'BK', name: 'x' })) }, code: 'A503' },
];

for (const { change, code } of REFUSED) {
  test(`answers ${code} to ${JSON.stringify(change).slice(0, 60)}`, () => {
    assert.equal(refusal({ ...BASIC, ...change })[0], code);
  });
}

test('takes each bounded field at its limit', () => {
  step({
    ...BASIC,
    originCID: '123456789',
    unsubscribePhoneNumber: '0'.repeat(13),
    unsubscribeAuthNumber: '0'.repeat(10),
    groupTagKey: 'x'.repeat(40),
    adults: 'Y',
  });
});

test('an entry of a flow may carry the members of a single send, as one client writes it', () => {
  const entry = { ...FREE, to: '01012341234', imgUrl: 'i', ref: 'r', fallback: { type: 'SMS' } };
  assert.deepEqual(step(entry), { channel: 'brandmessage', ...FREE, attachment: { image: { imgUrl: 'i' } } });
});

test('no body, however odd, makes it throw', () => {
  const odd = fc.record({
    senderKey: fc.constant('key'),
    sendType: fc.constantFrom('basic', 'free', 'template'),
    msgType: fc.constantFrom(...FRIENDTALK_TYPE_WORDS),
    to: fc.constant('01012341234'),
    templateCode: fc.anything(),
    messageVariable: fc.anything(),
    carouselVariable: fc.array(fc.anything()),
    attachment: fc.anything(),
  });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), odd), body => {
      parseBrandmessage(body);
      parseBrandmessageEntry(body, 'template', PATH);
    }),
  );
});
