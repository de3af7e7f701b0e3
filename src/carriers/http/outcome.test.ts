import assert from 'node:assert/strict';
import test from 'node:test';
import type { SubmitAnswer } from '../carrier.ts';
import type { OutcomeOptions } from './options.ts';
import { compileOutcomes, compileReportCodes } from './outcome.ts';
import { parseJson } from './provider-answer.ts';

const RULE: OutcomeOptions = {
  status: undefined,
  pointer: undefined,
  equals: undefined,
  matches: undefined,
  result: 'accepted',
  id: undefined,
  idMatches: undefined,
  reportCode: undefined,
  code: undefined,
  says: undefined,
  retryAfter: undefined,
  carriersFault: false,
};

function outcomesOf(rules: readonly Partial<OutcomeOptions>[], problems: string[] = []) {
  const codes = compileReportCodes({ '3008': '23003' }, 'reportCodes', problems);
  const outcomes = compileOutcomes(
    rules.map(rule => ({ ...RULE, ...rule })),
    codes,
    'outcomes',
    problems,
  );
  return (status: number, text: string, headers: Readonly<Record<string, string>> = {}): SubmitAnswer =>
    outcomes(
      { status, headers, text, json: parseJson(text) },
      { channel: 'rcs', attemptId: 'at-1', now: 0 },
    ) ?? { kind: 'unknown' };
}

test('a rule matches by status, by a family of them, and by a list', () => {
  const judge = outcomesOf([
    { status: ['202'] },
    { status: ['3xx', '404'], result: 'permanent', reportCode: '33000' },
  ]);
  const kinds = [202, 200, 302, 404, 400].map(status => judge(status, '').kind);
  assert.deepEqual(kinds, ['accepted', 'unknown', 'permanent', 'permanent', 'unknown']);
});

test('a rule matches by a value: there, equal, or of a pattern', () => {
  const judge = outcomesOf([
    { pointer: '/code', equals: ['0', '0000'], result: 'accepted' },
    { pointer: '/code', matches: '^3', result: 'permanent', reportCode: '33000', code: '/code' },
    { pointer: '/error', result: 'temporary', reportCode: '32001' },
  ]);
  assert.equal(judge(200, '{"code": 0}').kind, 'accepted');
  assert.equal(judge(200, '{"code": "0000"}').kind, 'accepted');
  assert.deepEqual(judge(200, '{"code": "3008"}'), {
    kind: 'permanent',
    reportCode: '23003',
    detail: 'status 200: 3008',
  });
  assert.deepEqual(judge(200, '{"code": "3999"}'), {
    kind: 'permanent',
    reportCode: '33000',
    detail: 'status 200: 3999',
  });
  assert.deepEqual(judge(200, '{"error": "x"}'), {
    kind: 'temporary',
    reportCode: '32001',
    detail: 'status 200',
  });
  assert.equal(judge(200, '{"code": ""}').kind, 'unknown');
  assert.equal(judge(200, 'code 0').kind, 'unknown');
});

test('a pattern reads bodies that are no JSON, and the reference in them', () => {
  const judge = outcomesOf([{ matches: '^OK', idMatches: 'id=(\\w+)' }]);
  assert.deepEqual(judge(200, 'OK id=abc'), { kind: 'accepted', refs: ['abc'] });
  const nameless = { kind: 'unknown', fault: 'the answer has no id that idMatches finds' };
  assert.deepEqual(judge(200, 'OK'), nameless);
  assert.deepEqual(judge(200, `OK id=${'x'.repeat(300)}`), nameless, 'longer than any reference');
  assert.deepEqual(judge(200, 'NOT OK id=abc'), { kind: 'unknown' });
});

test('a reference of 64 bits keeps its digits', () => {
  const judge = outcomesOf([{ id: '/id' }]);
  assert.deepEqual(judge(200, '{"id": 1234567890123456789}'), {
    kind: 'accepted',
    refs: ['1234567890123456789'],
  });
  assert.deepEqual(judge(200, '{"messageId": 1}'), {
    kind: 'unknown',
    fault: 'the answer has no id at /id',
  });
});

test('without a reference from the provider, ours is used', () => {
  assert.deepEqual(outcomesOf([{}])(200, ''), { kind: 'accepted', refs: ['at-1'] });
});

test('the time to wait is read from the body or from the header', () => {
  const judge = outcomesOf([{ result: 'temporary', retryAfter: '/wait', carriersFault: true }]);
  const waits = (text: string, headers = {}) => {
    const answer = judge(500, text, headers);
    return answer.kind === 'temporary' ? answer.retryAfterMs : 'no';
  };
  assert.equal(waits('{"wait": 5}', { 'retry-after': '9' }), 5000);
  assert.equal(waits('{}', { 'retry-after': '9' }), 9000);
  assert.equal(waits('{}'), undefined);
  assert.deepEqual(judge(500, ''), {
    kind: 'temporary',
    reportCode: '32000',
    detail: 'status 500',
    isCarriersFault: true,
  });
});

test('tells what is wrong with the rules', () => {
  const problems: string[] = [];
  outcomesOf(
    [
      { result: 'permanent' },
      { result: 'temporary', reportCode: '12345', equals: ['x'], id: 'no pointer' },
      { result: 'permanent', reportCode: '10000' },
    ],
    problems,
  );
  assert.deepEqual(problems, [
    'outcomes[0].reportCode: missing; expected a code of docs/report-codes.md',
    'outcomes[1].id: expected a JSON pointer such as /data/id',
    'outcomes[1].reportCode: expected a code of docs/report-codes.md that is a failure',
    'outcomes[1].equals: needs pointer',
    'outcomes[2].reportCode: expected a code of docs/report-codes.md that is a failure',
  ]);
});

test("a 4xx that is not about the message is the carrier's fault, unless a rule names it", () => {
  const judge = outcomesOf([
    { status: ['4xx'], pointer: '/code', equals: ['BLOCKED'], result: 'permanent', reportCode: '33001' },
    { status: ['4xx'], result: 'permanent', reportCode: '33000', code: '/code', says: '/message' },
  ]);
  for (const status of [401, 402, 403, 404, 405, 407, 408, 410, 421, 423, 425, 429]) {
    const outcome = judge(status, '{"code":"NO_KEY"}', { 'retry-after': '1' });
    assert.ok(outcome.kind === 'temporary' && outcome.isCarriersFault, String(status));
    assert.equal(judge(status, '{"code":"BLOCKED"}').kind, 'permanent', 'by its content');
    assert.equal(judge(status, '{"code":"3008"}').kind, 'permanent', 'by a code of the table');
  }
  for (const status of [400, 409, 413, 414, 415, 422, 451])
    assert.equal(judge(status, '').kind, 'permanent', String(status));
  const named = outcomesOf([{ status: ['403', '404'], result: 'permanent', reportCode: '33000' }]);
  assert.deepEqual([named(403, '').kind, named(404, '').kind], ['permanent', 'permanent'], 'by its status');
  assert.deepEqual([named(401, '').kind, named(400, '').kind], ['temporary', 'unknown']);
});

test('what the provider said is kept, without numbers of recipients', () => {
  const judge = outcomesOf([
    { status: ['400'], result: 'permanent', reportCode: '33000', code: '/code', says: '/message' },
    { status: ['402'], result: 'permanent', reportCode: '33000' },
  ]);
  const detailOf = (answer: SubmitAnswer) => ('detail' in answer ? answer.detail : undefined);
  assert.equal(detailOf(judge(400, '{"message":"010-1234-5678 is\\nblocked"}')), 'status 400: … isblocked');
  assert.equal(detailOf(judge(400, '{"code":"NO"}')), 'status 400: NO');
  assert.equal(detailOf(judge(402, 'No credit left')), 'status 402: No credit left');
  assert.equal(detailOf(judge(402, '<html>Payment</html>')), 'status 402');
  assert.equal(detailOf(judge(402, '{"text":"hello"}')), 'status 402', 'a body may repeat what was sent');
});

test('a last rule without a status does not fail messages for what is wrong with our account', () => {
  const judge = outcomesOf([
    { status: ['2xx'] },
    { result: 'permanent', reportCode: '33000', code: '/code' },
  ]);
  for (const status of [401, 403, 404, 429]) {
    const answer = judge(status, '{"code": "?"}');
    assert.ok(answer.kind === 'temporary' && answer.isCarriersFault, String(status));
  }
  assert.equal(judge(400, '').kind, 'permanent');
  assert.equal(judge(404, '{"code": "3008"}').kind, 'permanent');
});
