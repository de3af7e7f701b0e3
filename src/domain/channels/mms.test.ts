import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../request/problem.ts';
import { type MmsStep, mmsChannel, parseMms, parseMmsEntry } from './mms.ts';

const BODY = { from: '0316281500', to: '01012341234', text: '안녕하세요' };

function refusal(body: unknown): [string, string] {
  const result = parseMms(body);
  assert.ok(result instanceof Problem);
  return [result.code, result.result];
}

function step(extra: object): MmsStep {
  const result = parseMmsEntry({ ...BODY, ...extra }, 'final', 'mms');
  assert.ok(!(result instanceof Problem), JSON.stringify(result));
  return result;
}

test('reads a single send', () => {
  const body = { ...BODY, title: '제목', fileKey: ['a', 'b'], ref: 'mine', originCID: '1234' };
  assert.deepEqual(parseMms(body), {
    to: '01012341234',
    ref: 'mine',
    flow: [
      {
        channel: 'mms',
        from: '0316281500',
        text: '안녕하세요',
        title: '제목',
        fileKey: ['a', 'b'],
        originCID: '1234',
      },
    ],
  });
});

test('reads an entry of a flow, with its time to live as text or number', () => {
  assert.equal(step({ ttl: 86400 }).ttl, '86400');
  assert.equal(step({ ttl: '86400' }).ttl, '86400');
  assert.equal(step({ ttl: '060' }).ttl, '60');
  assert.equal(step({ ttl: '000' }).ttl, '0');
});

const LIMITS = [
  { field: 'text', unit: '가', most: 1000, code: 'A328' },
  { field: 'title', unit: '가', most: 20, code: 'A300' },
];

for (const { field, unit, most, code } of LIMITS) {
  test(`takes ${most * 2} bytes of ${field} and answers ${code} to one more`, () => {
    assert.equal(step({ [field]: unit.repeat(most) }).channel, 'mms');
    const [given, result] = refusal({ ...BODY, [field]: `${unit.repeat(most)}a` });
    assert.equal(given, code);
    assert.match(result, new RegExp(`"${field}" is longer than ${most * 2} bytes \\(was ${most * 2 + 1}\\)`));
  });
}

test('takes three file keys and answers A319 to a fourth', () => {
  assert.deepEqual(step({ fileKey: ['a', 'b', 'c'] }).fileKey, ['a', 'b', 'c']);
  assert.deepEqual(refusal({ ...BODY, fileKey: ['a', 'b', 'c', 'd'] }), [
    'A319',
    '"fileKey" has more than 3 entries (was 4)',
  ]);
});

test('takes a single file key for a list of one', () => {
  assert.deepEqual(step({ fileKey: 'a' }).fileKey, ['a']);
});

test('is an LMS without a file, however the client says so', () => {
  for (const fileKey of [undefined, null, '', []]) assert.equal(msgTypeOf(fileKey), 'LM');
  assert.equal(msgTypeOf(['a']), 'MM');

  function msgTypeOf(fileKey: unknown): string {
    return mmsChannel.report.msgType(step({ fileKey }));
  }
});

const MISSING = { from: 'A302', to: 'A306', text: 'A303' };

for (const [field, code] of Object.entries(MISSING)) {
  test(`answers ${code} when ${field} is missing`, () => {
    assert.deepEqual(refusal({ ...BODY, [field]: '' }), [code, `"${field}" is required`]);
  });
}

test('does not measure a text with placeholders before they are filled in', () => {
  const entry = { ...BODY, text: `#{name}${'가'.repeat(1000)}`, title: `#{name}${'가'.repeat(20)}` };
  assert.ok(!(parseMmsEntry(entry, 'template', 'mms') instanceof Problem));
  const filled = parseMmsEntry(entry, 'final', 'messageFlow[0].mms');
  assert.ok(filled instanceof Problem);
  assert.match(filled.result, /^"messageFlow\[0\]\.mms\.text" is longer/);
});

test('no body, however odd, makes it throw', () => {
  const odd = fc.record({
    from: fc.anything(),
    to: fc.anything(),
    text: fc.anything(),
    fileKey: fc.anything(),
  });
  fc.assert(fc.property(fc.oneof(fc.anything(), odd), body => void parseMms(body)));
});
