import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId, MsgKey } from '../ids.ts';
import { SETTLEABLE, STEP_STATES } from './lifecycle.ts';
import { MAX_ATTEMPTS } from './retry-policy.ts';
import { type LiveStep, type SettleRules, type StepEvent, settleStep } from './settlement.ts';

const NOW = 1_000_000;
const HOUR = 3_600_000;
const rules: SettleRules = {
  now: NOW,
  deadlines: { textMs: 25 * HOUR, mmsMs: 80 * HOUR, messengerMs: 600_000 },
  route: ({ channel }) => ({ carrier: `carrier of ${channel}`, why: 'routes[0]' }),
  jitter: 0,
};
const live: LiveStep = {
  msgKey: 'M'.repeat(32) as MsgKey,
  account: 'shop' as AccountId,
  to: '01012345678',
  words: undefined,
  groupKey: 'spring',
  ref: 'order-1',
  flow: [{ channel: 'sms', from: '02', text: 'hello' }],
  step: 0,
  state: 'submitting',
  attempt: 1,
  carrier: 'sky',
  claim: 'node/1',
  repeatUntil: undefined,
  parts: undefined,
  submittedAt: undefined,
  deadlineAt: NOW + 25 * HOUR,
};

function settle(changes: Partial<LiveStep>, event: StepEvent) {
  return settleStep({ ...live, ...changes }, event, rules);
}

test('an accepted step waits for its receipt until the deadline', () => {
  const settled = settle({}, { name: 'accepted' });
  assert.ok(settled.kind === 'moved');
  assert.deepEqual([settled.live.state, settled.live.submittedAt], ['submitted', NOW]);
  assert.equal(settled.dueAt, live.deadlineAt);
});

test('an attempt without an answer is made again while the promise of its carrier lasts', () => {
  const settled = settle({}, { name: 'repeated', until: NOW + HOUR, retryAfterMs: 2000 });
  assert.ok(settled.kind === 'moved');
  const { state, attempt, claim, repeatUntil } = settled.live;
  assert.deepEqual([state, attempt, claim, repeatUntil], ['queued', 0, undefined, NOW + HOUR]);
  assert.equal(settled.dueAt, NOW + 2000);
  assert.deepEqual(settled.history, {
    at: NOW,
    step: 0,
    attempt: 1,
    event: 'repeated',
    carrier: 'sky',
  });
});

test('a delivered receipt ends the message with record 10000', () => {
  const settled = settle(
    { state: 'submitted', submittedAt: NOW - 5 },
    { name: 'receivedDelivered', network: '10001' },
  );
  assert.ok(settled.kind === 'ended');
  assert.equal(settled.next, undefined);
  assert.deepEqual(settled.report, {
    msgKey: live.msgKey,
    account: 'shop',
    step: 0,
    serviceType: 'SMS',
    msgType: 'SM',
    resCnt: undefined,
    sentAt: NOW - 5,
    reportedAt: NOW,
    reportCode: '10000',
    network: '10001',
    userType: undefined,
    ref: 'order-1',
    groupKey: 'spring',
    traceparent: undefined,
    isLast: true,
  });
  assert.deepEqual(
    settled.history.map(({ event, at }) => [event, at]),
    [
      ['accepted', NOW - 5],
      ['receivedDelivered', NOW],
    ],
  );
});

test('a temporary refusal is retried with growing delays, and finally fails with its own code', () => {
  const delays: number[] = [];
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    const settled = settle({ attempt }, { name: 'deferred', reportCode: '22003' });
    assert.ok(settled.kind === 'moved');
    assert.equal(settled.live.state, 'retrying');
    delays.push(settled.dueAt - NOW);
  }
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  );
  const last = settle({ attempt: MAX_ATTEMPTS }, { name: 'deferred', reportCode: '22003' });
  assert.ok(last.kind === 'ended');
  assert.deepEqual([last.state, last.report.reportCode], ['failed', '22003']);
});

test('no retry is made after the deadline', () => {
  const settled = settle({ deadlineAt: NOW + 1 }, { name: 'deferred', reportCode: '22003' });
  assert.ok(settled.kind === 'ended');
  assert.equal(settled.state, 'failed');
});

test('the carrier may ask for a longer delay', () => {
  const settled = settle({}, { name: 'deferred', reportCode: '22003', retryAfterMs: 120_000 });
  assert.ok(settled.kind === 'moved');
  assert.equal(settled.dueAt, NOW + 120_000);
});

test('a lost answer leaves the step unknown, to be decided by receipt or deadline', () => {
  const settled = settle({}, { name: 'lost' });
  assert.ok(settled.kind === 'moved');
  assert.deepEqual([settled.live.state, settled.dueAt], ['unknown', live.deadlineAt]);
  const expired = settle({ state: 'unknown' }, { name: 'deadline' });
  assert.ok(expired.kind === 'ended');
  assert.deepEqual([expired.state, expired.report.reportCode], ['expired', '22000']);
});

test('an attempt that was claimed too late to be made does not count as one', () => {
  const attemptsAfter = (event: StepEvent) => {
    const expired = settle({ attempt: 2 }, event);
    return expired.kind === 'ended' ? expired.history.map(({ attempt }) => attempt) : [];
  };
  assert.deepEqual(attemptsAfter({ name: 'deadline', isUnasked: true }), [1]);
  assert.deepEqual(attemptsAfter({ name: 'deadline' }), [2]);
});

test('when a step fails the next one is enqueued by its own route, with its own deadline', () => {
  const flow = [
    { channel: 'international', from: '02', text: 'hi', parts: 1 },
    { channel: 'sms', from: '02', text: 'hi' },
  ] as const;
  const settled = settle(
    { flow, state: 'submitted', attempt: 3 },
    { name: 'receivedFailed', reportCode: '23001' },
  );
  assert.ok(settled.kind === 'ended');
  assert.equal(settled.report.isLast, false);
  assert.deepEqual(settled.next, {
    ...live,
    flow,
    step: 1,
    state: 'queued',
    attempt: 0,
    claim: undefined,
    carrier: 'carrier of sms',
    submittedAt: undefined,
    deadlineAt: NOW + 25 * HOUR,
  });
});

test('a delivered step ends the flow, whatever follows', () => {
  const flow = [live.flow[0], live.flow[0]].flatMap(step => step ?? []);
  const settled = settle({ flow, state: 'submitted' }, { name: 'receivedDelivered' });
  assert.ok(settled.kind === 'ended');
  assert.equal(settled.next, undefined);
});

test('an event that the state does not admit changes nothing', () => {
  assert.deepEqual(settle({ state: 'submitted' }, { name: 'accepted' }), { kind: 'ignored' });
  assert.deepEqual(settle({ state: 'queued' }, { name: 'accepted' }), { kind: 'ignored' });
  const repeated = settle({ state: 'queued', repeatUntil: NOW + 1 }, { name: 'accepted' });
  assert.ok(repeated.kind === 'moved');
  assert.deepEqual([repeated.live.state, repeated.live.repeatUntil], ['submitted', undefined]);
});

test('a repetition that is deferred stays in doubt, unless the carrier knows that it never took the attempt', () => {
  const again = { state: 'submitting', attempt: 1, repeatUntil: NOW + 60_000 } as const;
  const deferred = { name: 'deferred', reportCode: '22003' } as const;
  const doubtful = settle(again, deferred);
  assert.ok(doubtful.kind === 'moved');
  assert.deepEqual(
    [doubtful.live.state, doubtful.live.attempt, doubtful.live.repeatUntil],
    ['queued', 0, NOW + 60_000],
  );
  const known = settle(again, { ...deferred, isNeverTaken: true });
  assert.ok(known.kind === 'moved');
  assert.deepEqual(
    [known.live.state, known.live.attempt, known.live.repeatUntil],
    ['retrying', 1, undefined],
  );
});

test('a step for another carrier goes back to the queue, and the attempt is not counted', () => {
  const settled = settle({}, { name: 'rerouted', carrier: 'sea', why: 'routes[0]; sky is not available' });
  assert.ok(settled.kind === 'moved');
  const { state, carrier, attempt } = settled.live;
  assert.deepEqual([state, carrier, attempt, settled.dueAt], ['queued', 'sea', 0, NOW]);
  assert.equal(settled.history?.why, 'routes[0]; sky is not available');
});

test('a step that its carrier cannot take now goes back to its queue, and the attempt is not counted', () => {
  const settled = settle({}, { name: 'returned', retryAfterMs: 700 });
  assert.ok(settled.kind === 'moved');
  const { state, carrier, attempt } = settled.live;
  assert.deepEqual([state, carrier, attempt, settled.dueAt], ['queued', 'sky', 0, NOW + 700]);
  assert.equal(settled.history, undefined);
});

test('a message in parts is delivered when every part is, and each part counts once', () => {
  const sent = settle({}, { name: 'accepted', parts: 2 });
  assert.ok(sent.kind === 'moved');
  assert.equal(sent.live.parts, '..');
  const second = settleStep(sent.live, { name: 'receivedDelivered', part: 1 }, rules);
  assert.ok(second.kind === 'moved');
  assert.deepEqual([second.live.parts, second.live.state], ['.+', 'submitted']);
  assert.deepEqual(settleStep(second.live, { name: 'receivedDelivered', part: 1 }, rules), {
    kind: 'ignored',
  });
  const first = settleStep(second.live, { name: 'receivedDelivered', part: 0 }, rules);
  assert.ok(first.kind === 'ended');
  assert.deepEqual([first.report.reportCode, first.report.resCnt], ['10000', '2']);
});

test('one failed part fails the message', () => {
  const settled = settle(
    { state: 'submitted', parts: '+..' },
    { name: 'receivedFailed', reportCode: '23001' },
  );
  assert.ok(settled.kind === 'ended');
  assert.deepEqual(
    [settled.state, settled.report.reportCode, settled.report.resCnt],
    ['failed', '23001', '3'],
  );
});

test('the next step has the reason for its carrier', () => {
  const sms = { channel: 'sms', from: '02', text: 'hello' } as const;
  const settled = settle({ flow: [sms, sms] }, { name: 'refused', reportCode: '23001' });
  assert.ok(settled.kind === 'ended');
  assert.deepEqual(settled.history.at(-1), {
    at: NOW,
    step: 1,
    attempt: 0,
    event: 'routed',
    carrier: 'carrier of sms',
    why: 'routes[0]',
  });
});

test('a late answer keeps the parts that have arrived', () => {
  const late = settle({ state: 'unknown', parts: '+.' }, { name: 'accepted', parts: 2 });
  assert.ok(late.kind === 'moved');
  assert.deepEqual([late.live.state, late.live.parts], ['submitted', '+.']);
  const again = settle({ state: 'submitting', parts: '+.' }, { name: 'accepted', parts: 2 });
  assert.ok(again.kind === 'moved');
  assert.equal(again.live.parts, '..', 'another attempt begins anew');
});

test('after a late answer for one part, the receipt of that part does not end the whole message', () => {
  const named = settle({ state: 'unknown' }, { name: 'lost', parts: 2 });
  assert.ok(named.kind === 'moved');
  assert.deepEqual([named.live.state, named.live.parts], ['unknown', '..']);
  const arrived = settleStep(named.live, { name: 'receivedDelivered', part: 1 }, rules);
  assert.ok(arrived.kind === 'moved');
  assert.equal(arrived.live.parts, '.+');
  assert.equal(settleStep(arrived.live, { name: 'lost', parts: 2 }, rules).kind, 'ignored');
});

test('a step that waits is cancelled, and its flow does not go on', () => {
  const flow = [...live.flow, ...live.flow];
  for (const state of ['queued', 'retrying'] as const) {
    const settled = settle({ state, flow, claim: undefined }, { name: 'cancelled' });
    assert.ok(settled.kind === 'ended');
    assert.deepEqual(
      [settled.state, settled.report.reportCode, settled.report.isLast, settled.next],
      ['failed', '90001', true, undefined],
    );
  }
});

test('a message that the carrier has or may have is not cancelled', () => {
  for (const state of ['submitting', 'submitted', 'unknown', 'delivered', 'failed', 'expired'] as const) {
    assert.equal(settle({ state }, { name: 'cancelled' }).kind, 'ignored', state);
  }
  const again = { state: 'queued', repeatUntil: NOW + 1000 } as const;
  assert.equal(settle(again, { name: 'cancelled' }).kind, 'ignored');
});

test('a receipt ends a message that the carrier has or may have', () => {
  const flow = [...live.flow, ...live.flow];
  for (const state of SETTLEABLE) {
    const failed = settle({ state, flow }, { name: 'toldFailed', reportCode: '23014' });
    assert.ok(failed.kind === 'ended');
    assert.deepEqual([failed.state, failed.report.reportCode, failed.next?.step], ['failed', '23014', 1]);
    const delivered = settle({ state, flow, parts: '+.' }, { name: 'toldDelivered' });
    assert.ok(delivered.kind === 'ended');
    assert.deepEqual(
      [delivered.state, delivered.report.reportCode, delivered.next],
      ['delivered', '10000', undefined],
    );
  }
  assert.deepEqual([...SETTLEABLE], ['submitted', 'unknown']);
  for (const state of STEP_STATES.filter(one => !SETTLEABLE.includes(one))) {
    assert.equal(settle({ state }, { name: 'toldDelivered' }).kind, 'ignored', state);
    assert.equal(settle({ state }, { name: 'toldFailed', reportCode: '23014' }).kind, 'ignored', state);
  }
});

test('our own refusal of a repeated attempt does not undo the first attempt', () => {
  const again = { state: 'submitting', repeatUntil: NOW + HOUR } as const;
  const ours: readonly StepEvent[] = [
    { name: 'optedOut' },
    { name: 'postponed', until: NOW + 1 },
    { name: 'refused', reportCode: '23029', isUnasked: true },
  ];
  for (const event of ours) {
    const settled = settle(again, event);
    assert.deepEqual([settled.kind, settled.kind === 'moved' && settled.live.state], ['moved', 'unknown']);
  }
  assert.equal(settle(again, { name: 'refused', reportCode: '23001' }).kind, 'ended');
});
