import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from '../../domain/delivery/flow.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Submission } from '../carrier.ts';
import { sendRequest, singleFieldsOf } from './send-request.ts';

const ATTEMPTS = ['01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1', '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4001-0-1'] as const;
const SMS = { channel: 'sms', from: '0212345678', text: 'hello' } as Step;
const PROFILE = { senderKey: 'profile', text: 'hello' };

function submissions(message: Step, count = 1): Submission[] {
  return ATTEMPTS.slice(0, count).map((attemptId, index) => ({
    attemptId,
    account: 'edge' as AccountId,
    to: `0100000000${index}`,
    attempt: 1,
    timeLeftMs: 86_400_000,
    hasOwnTime: false,
    message,
  }));
}

function sent(message: Step, form: Parameters<typeof sendRequest>[2], count = 1) {
  const { path, json = '', headers } = sendRequest(submissions(message, count), message, form);
  return { path, body: JSON.parse(json), headers };
}

test('a single send names the attempt, as its reference and as its key', () => {
  assert.deepEqual(sent(SMS, { kind: 'single' }), {
    path: '/v1/send/sms',
    body: { to: '01000000000', from: '0212345678', text: 'hello', ref: ATTEMPTS[0] },
    headers: { 'idempotency-key': ATTEMPTS[0] },
  });
});

test('a combined send names each attempt at its destination', () => {
  const { path, body, headers } = sent(SMS, { kind: 'combined', refs: true }, 2);
  assert.equal(path, '/v1/send/omni');
  assert.deepEqual(body, {
    messageFlow: [{ sms: { from: '0212345678', text: 'hello' } }],
    destinations: [
      { to: '01000000000', ref: `d-${ATTEMPTS[0]}` },
      { to: '01000000001', ref: `d-${ATTEMPTS[1]}` },
    ],
    ref: `n-${ATTEMPTS[0]}`,
  });
  assert.match(headers?.['idempotency-key'] ?? '', /^[\w-]{43}$/);
  assert.deepEqual(sent(SMS, { kind: 'combined', refs: false }).body.destinations, [{ to: '01000000000' }]);
});

test('what looks like a placeholder reaches the recipient as it stands', () => {
  const text = 'write #{name} or #{a "b"} \\';
  const step = { ...SMS, text, from: '0212345678' } as Step;
  assert.deepEqual(sent(step, { kind: 'single' }).body.text, text);
  const { destinations } = sent(step, { kind: 'combined', refs: false }).body;
  assert.deepEqual(destinations[0].replaceWords, { name: '#{name}', 'a "b"': '#{a "b"}' });
});

const SINGLES: readonly (readonly [string, object, object])[] = [
  ['mms', { from: '02', text: 'a', fileKey: ['k'] }, { from: '02', text: 'a', fileKey: ['k'] }],
  ['international', { from: '02', text: 'a', parts: 1 }, { from: '02', text: 'a' }],
  [
    'rcs',
    {
      from: '02',
      formatId: 'SS000000',
      brandKey: 'B',
      body: { description: 'a' },
      buttons: [],
      templateKind: 'free',
    },
    { from: '02', formatId: 'SS000000', brandKey: 'B', body: { description: 'a' }, buttons: [] },
  ],
  [
    'alimtalk',
    { ...PROFILE, msgType: 'AT', templateCode: 'T', attachment: { button: [{ type: 'MD' }] } },
    { ...PROFILE, msgType: 'AT', templateCode: 'T', button: [{ type: 'MD' }] },
  ],
  [
    'friendtalk',
    { ...PROFILE, msgType: 'FI', attachment: { image: { imgUrl: 'https://i' } } },
    { ...PROFILE, msgType: 'FI', imgUrl: 'https://i' },
  ],
];

for (const [channel, step, fields] of SINGLES) {
  test(`${channel}: the fields of a single send`, () => {
    assert.deepEqual(singleFieldsOf({ channel, ...step } as Step), fields);
  });
}

const COMBINED: readonly (readonly [string, string, object])[] = [
  ['sms', 'with a time to live', { from: '02', text: 'a', ttl: '60' }],
  ['rcs', 'without a brand', { from: '02', formatId: 'SS000000', body: {}, buttons: [] }],
  ['rcs', 'with a group', { from: '02', formatId: 'S', brandKey: 'B', groupId: 'G', body: {}, buttons: [] }],
  ['alimtalk', 'with an item list', { ...PROFILE, msgType: 'AT', attachment: { item: { list: [] } } }],
  ['friendtalk', 'with a coupon', { ...PROFILE, msgType: 'FT', attachment: { coupon: {} } }],
  [
    'friendtalk',
    'with a linked image',
    { ...PROFILE, msgType: 'FI', attachment: { image: { imgUrl: 'i', imgLink: 'l' } } },
  ],
  ['friendtalk', 'without the advertisement mark', { ...PROFILE, msgType: 'FT', adFlag: 'N' }],
];

for (const [channel, what, step] of COMBINED) {
  test(`${channel} ${what} goes as a combined send`, () => {
    assert.equal(singleFieldsOf({ channel, ...step } as Step), undefined);
  });
}

test('a call belongs to a trace if all of its messages do', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const [one, two] = submissions(SMS, 2);
  assert.ok(one && two);
  const traceOf = (...given: Submission[]) =>
    sendRequest(given, SMS, { kind: 'combined', refs: true }).headers?.traceparent;
  assert.equal(traceOf({ ...one, traceparent }), traceparent);
  assert.equal(traceOf({ ...one, traceparent }, { ...two, traceparent }), traceparent);
  assert.equal(traceOf({ ...one, traceparent }, two), undefined);
  assert.equal(traceOf(one, two), undefined);
});
