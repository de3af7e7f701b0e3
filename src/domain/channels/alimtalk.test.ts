import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../request/problem.ts';
import { type AlimtalkStep, parseAlimtalk, parseAlimtalkEntry } from './alimtalk.ts';
import { ALIMTALK_TYPES, HIGHLIGHT_LIMITS } from './alimtalk-items.ts';

const ENTRY = { senderKey: 'senderKey', msgType: 'AT', templateCode: 'templateCode', text: 'text' };
const BODY = { ...ENTRY, to: '01012341234' };
const ROW = { title: 'title', description: 'description' };
const PATH = 'messageFlow[0].alimtalk';

function step(extra: object): AlimtalkStep {
  const result = parseAlimtalkEntry({ ...ENTRY, ...extra }, 'final', PATH);
  assert.ok(!(result instanceof Problem), JSON.stringify(result));
  return result;
}

function refusal(extra: object): [string, string] {
  const result = parseAlimtalkEntry({ ...ENTRY, ...extra }, 'final', PATH);
  assert.ok(result instanceof Problem, JSON.stringify(result));
  return [result.code, result.result];
}

test('reads a single send and moves its buttons to where flows have them', () => {
  const button = [{ type: 'WL', name: 'name', urlMobile: 'urlMobile', urlPc: 'urlPc' }];
  assert.deepEqual(parseAlimtalk({ ...BODY, button, ref: 'mine' }), {
    to: '01012341234',
    ref: 'mine',
    flow: [{ channel: 'alimtalk', ...ENTRY, attachment: { button } }],
  });
});

test('buttons in both places are refused, because one of the two would be lost', () => {
  const button = [{ type: 'WL', name: 'name', urlMobile: 'urlMobile', urlPc: 'urlPc' }];
  const [code, result] = refusal({ button, attachment: { button } });
  assert.equal(code, 'A503');
  assert.equal(result, `"${PATH}.button" and "${PATH}.attachment.button" cannot be used together`);
  assert.deepEqual(step({ button: [], attachment: { button } }).attachment, { button });
});

test('a fallback is the second step, and needs a sender of its own', () => {
  const fallback = { type: 'MMS', from: '0316281500', title: 'title', text: 'text' };
  const result = parseAlimtalk({ ...BODY, fallback });
  assert.ok(!(result instanceof Problem));
  assert.deepEqual(result.flow[1], { channel: 'mms', from: '0316281500', title: 'title', text: 'text' });

  const refused = parseAlimtalk({ ...BODY, fallback: { ...fallback, from: null } });
  assert.ok(refused instanceof Problem);
  assert.equal(refused.code, 'A302');
  assert.match(refused.result, /"fallback\.from"/);
});

test('reads what the Python client sends in its own tests', () => {
  const message = {
    title: 'title',
    attachment: {
      button: [{ type: 'BC', name: '버튼명', bizFormId: 'bizFormId', bizFormKey: 'bizFormKey' }],
      item: { list: [ROW, ROW], summary: ROW },
      itemHighlight: ROW,
    },
    price: '100',
    currencyType: 'KWR',
  };
  for (const msgType of ALIMTALK_TYPES) {
    assert.deepEqual(step({ ...message, msgType, supplement: { quickReply: [] } }), {
      channel: 'alimtalk',
      ...ENTRY,
      ...message,
      msgType,
    });
  }
});

test('takes blanks for "not given"', () => {
  const blanks = {
    title: '',
    header: '',
    link: { urlMobile: '' },
    supplement: {},
    price: null,
    attachment: { button: [], item: { list: [], summary: { urlMobile: '' } }, itemHighlight: { title: '' } },
  };
  assert.deepEqual(step(blanks), { channel: 'alimtalk', ...ENTRY });
  assert.deepEqual(parseAlimtalk({ ...BODY, ...blanks, button: [], ref: '', fallback: {} }), {
    to: '01012341234',
    ref: undefined,
    flow: [{ channel: 'alimtalk', ...ENTRY }],
  });
});

test('takes a summary of null beside a list', () => {
  const item = { list: [ROW, ROW], summary: null };
  assert.deepEqual(step({ attachment: { item } }).attachment?.item, { list: [ROW, ROW] });
});

test('reads AL as the image type', () => {
  assert.equal(step({ msgType: 'AL' }).msgType, 'AI');
});

const MISSING = { senderKey: 'A502', msgType: 'A523', templateCode: 'A505', text: 'A303' };

for (const [field, code] of Object.entries(MISSING)) {
  test(`answers ${code} when ${field} is missing`, () => {
    assert.deepEqual(refusal({ [field]: null }), [code, `"${PATH}.${field}" is required`]);
    const single = parseAlimtalk({ ...BODY, [field]: '' });
    assert.ok(single instanceof Problem);
    assert.deepEqual([single.code, single.result], [code, `"${field}" is required`]);
  });
}

test('answers A306 when a single send has no recipient', () => {
  const result = parseAlimtalk(ENTRY);
  assert.ok(result instanceof Problem);
  assert.equal(result.code, 'A306');
});

test('answers A523 to a type of another channel', () => {
  assert.equal(refusal({ msgType: 'FT' })[0], 'A523');
});

const inItem = (row: object) => ({ attachment: { item: { list: [ROW, { ...ROW, ...row }] } } });
const inSummary = (row: object) => ({
  attachment: { item: { list: [ROW, ROW], summary: { title: 'sum', description: '1', ...row } } },
});

const LIMITS: { what: string; most: number; code: string; make: (text: string) => object }[] = [
  { what: 'text', most: 1000, code: 'A328', make: text => ({ text }) },
  { what: 'title', most: 50, code: 'A300', make: title => ({ title }) },
  { what: 'header', most: 16, code: 'A565', make: header => ({ header }) },
  { what: 'currencyType', most: 3, code: 'A300', make: currencyType => ({ currencyType }) },
  { what: 'item title', most: 6, code: 'A521', make: title => inItem({ title }) },
  { what: 'item description', most: 23, code: 'A521', make: description => inItem({ description }) },
  { what: 'summary title', most: 6, code: 'A561', make: title => inSummary({ title }) },
  { what: 'summary description', most: 14, code: 'A561', make: description => inSummary({ description }) },
  ...ALIMTALK_TYPES.flatMap(msgType =>
    Object.entries(HIGHLIGHT_LIMITS[msgType]).map(([part, most]) => ({
      what: `highlight ${part} of ${msgType}`,
      most,
      code: 'A560',
      make: (text: string) => ({ msgType, attachment: { itemHighlight: { [part]: text } } }),
    })),
  ),
];

for (const { what, most, code, make } of LIMITS) {
  test(`takes ${most} characters of ${what} and answers ${code} to one more`, () => {
    step(make('가'.repeat(most)));
    const [given, result] = refusal(make('가'.repeat(most + 1)));
    assert.equal(given, code);
    assert.match(result, new RegExp(`longer than ${most} characters \\(was ${most + 1}\\)`));
  });

  test(`does not measure ${what} before its placeholders are filled in`, () => {
    const entry = { ...ENTRY, ...make(`#{name}${'가'.repeat(most)}`) };
    assert.ok(!(parseAlimtalkEntry(entry, 'template', PATH) instanceof Problem));
  });
}

test('takes 2 to 10 rows in a list', () => {
  const rows = (length: number) => ({
    attachment: { item: { list: Array.from({ length }, () => ROW) } },
  });
  step(rows(2));
  step(rows(10));
  assert.equal(refusal(rows(1))[0], 'A521');
  assert.equal(refusal(rows(11))[0], 'A521');
});

test('takes an amount as text or number and answers A559 to anything else', () => {
  assert.equal(step({ price: 100 }).price, '100');
  assert.equal(step({ price: '1,000.50' }).price, '1,000.50');
  for (const price of ['free', '-1', -1, 1e30]) assert.equal(refusal({ price })[0], 'A559');
  assert.equal(refusal({ price: { amount: 1 } })[0], 'A011');
});

test('a summary says what it says; its characters are for the network to judge', () => {
  step(inSummary({ description: 'not an amount' }));
});

test('no body, however odd, makes it throw', () => {
  const odd = fc.record({
    senderKey: fc.constant('key'),
    msgType: fc.constantFrom('AT', 'AI', 'AL'),
    to: fc.constant('01012341234'),
    templateCode: fc.constant('code'),
    text: fc.string({ minLength: 1 }),
    attachment: fc.oneof(
      fc.anything(),
      fc.record({ button: fc.anything(), item: fc.anything(), itemHighlight: fc.anything() }),
    ),
    supplement: fc.anything(),
    price: fc.anything(),
    fallback: fc.anything(),
  });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), odd), body => {
      parseAlimtalk(body);
      parseAlimtalkEntry(body, 'template', PATH);
    }),
  );
});
