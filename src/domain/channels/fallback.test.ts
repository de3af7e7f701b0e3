import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../request/problem.ts';
import { parseFallback } from './fallback.ts';

const SMS = { type: 'SMS', from: '0316281500', text: '안녕하세요' };
const MMS = { ...SMS, type: 'MMS' };

function refusal(value: unknown, defaultFrom?: string): [string, string] {
  const result = parseFallback(value, defaultFrom);
  assert.ok(result instanceof Problem);
  return [result.code, result.result];
}

test('a short text of type SMS goes out as SMS', () => {
  const text = '가'.repeat(45);
  assert.deepEqual(parseFallback({ ...SMS, text, originCID: '1234' }, undefined), {
    channel: 'sms',
    from: '0316281500',
    text,
    originCID: '1234',
  });
});

test('a text over 90 bytes of type SMS goes out as LMS', () => {
  const text = `${'가'.repeat(45)}a`;
  assert.deepEqual(parseFallback({ ...SMS, text, title: '제목', fileKey: [] }, undefined), {
    channel: 'mms',
    from: '0316281500',
    text,
    title: '제목',
  });
});

test('files under type SMS are refused, not dropped', () => {
  for (const text of [SMS.text, `${'가'.repeat(45)}a`]) {
    const [code, result] = refusal({ ...SMS, text, fileKey: ['a'] });
    assert.equal(code, 'A317');
    assert.match(result, /"fallback\.fileKey" needs type MMS/);
  }
});

test('type MMS goes out as MMS with its title and files, also when the text is short', () => {
  assert.deepEqual(parseFallback({ ...MMS, title: '제목', fileKey: ['a', 'b', 'c'] }, undefined), {
    channel: 'mms',
    from: '0316281500',
    text: '안녕하세요',
    title: '제목',
    fileKey: ['a', 'b', 'c'],
  });
});

test('takes the sender of the message before it when it has none, and its own when it has one', () => {
  for (const from of [undefined, null, '']) {
    assert.deepEqual(parseFallback({ ...SMS, from }, '021234567'), {
      channel: 'sms',
      from: '021234567',
      text: '안녕하세요',
    });
  }
  assert.deepEqual(parseFallback(SMS, '021234567'), { channel: 'sms', from: SMS.from, text: SMS.text });
});

test('answers A302 and names fallback.from when there is no sender at all', () => {
  const [code, result] = refusal({ ...SMS, from: null });
  assert.equal(code, 'A302');
  assert.match(result, /"fallback\.from" is required/);
});

const REFUSED = [
  { what: 'no type', change: { type: undefined }, code: 'A312', names: 'fallback.type' },
  { what: 'an unknown type', change: { type: 'LMS' }, code: 'A312', names: 'fallback.type' },
  { what: 'a sender that is no number', change: { from: '031-abc' }, code: 'A302', names: 'fallback.from' },
  { what: 'no text', change: { text: null }, code: 'A314', names: 'fallback.text' },
  {
    what: '2001 bytes of text',
    change: { text: `${'가'.repeat(1000)}a` },
    code: 'A329',
    names: 'fallback.text',
  },
  {
    what: '41 bytes of title',
    change: { title: `${'가'.repeat(20)}a` },
    code: 'A300',
    names: 'fallback.title',
  },
  {
    what: 'four file keys',
    change: { fileKey: ['a', 'b', 'c', 'd'] },
    code: 'A317',
    names: 'fallback.fileKey',
  },
  {
    what: 'a long originCID',
    change: { originCID: '1234567890' },
    code: 'A300',
    names: 'fallback.originCID',
  },
];

for (const { what, change, code, names } of REFUSED) {
  test(`answers ${code} to ${what}`, () => {
    const [given, result] = refusal({ ...MMS, ...change });
    assert.equal(given, code);
    assert.ok(result.includes(`"${names}"`), result);
  });
}

test('takes 2000 bytes of text and 40 of title', () => {
  const value = { ...MMS, text: '가'.repeat(1000), title: '가'.repeat(20) };
  assert.ok(!(parseFallback(value, undefined) instanceof Problem));
});

test('a fallback that is not an object is A011', () => {
  for (const value of ['SMS', 1, []]) {
    assert.deepEqual(refusal(value), ['A011', '"fallback" must be a JSON object']);
  }
});

test('no value, however odd, makes it throw', () => {
  const odd = fc.record({ type: fc.constantFrom('SMS', 'MMS'), from: fc.anything(), text: fc.anything() });
  fc.assert(fc.property(fc.oneof(fc.anything(), odd), value => void parseFallback(value, '021234567')));
});
