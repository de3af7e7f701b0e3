import assert from 'node:assert/strict';
import test from 'node:test';
import { type Account, type AccountSettings, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account/account.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { UNROUTED } from '../domain/delivery/routing.ts';
import type { AccountId } from '../domain/ids.ts';
import { singleNames } from '../domain/request/field-names.ts';
import { type CompiledFlow, plainFlow } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import { ManualClock } from '../platform/clock.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import { createSendGuards, type FlowCheck, MAX_FLOW_BYTES } from './guards.ts';

const FLOW = [{ channel: 'rcs' }, { channel: 'sms' }] as unknown as Flow;
const TO = '01012345678';

function compiled(flow = FLOW, isTemplate = false): CompiledFlow {
  return { ...plainFlow(flow, singleNames(flow)), isTemplate };
}

function accountWith(settings: Partial<AccountSettings> = {}): Account {
  return {
    id: 'shop' as AccountId,
    passwordHash: '',
    blocked: false,
    tokenEpoch: 0,
    createdAt: 0,
    settings: { ...DEFAULT_ACCOUNT_SETTINGS, ...settings },
  };
}

function guardsWith({
  checks = [],
  unrouted = [],
  isFull = false,
}: {
  readonly checks?: readonly FlowCheck[];
  readonly unrouted?: readonly string[];
  readonly isFull?: boolean;
} = {}) {
  return createSendGuards({
    route: ({ channel }) => ({ carrier: unrouted.includes(channel) ? UNROUTED : 'sky', why: '' }),
    limiter: new RateLimiter(new ManualClock()),
    checks,
    isQueueFull: () => isFull,
  });
}

test('a send that nothing speaks against has no problem, and waits for nothing', () => {
  const guards = guardsWith({ checks: [() => undefined] });
  assert.equal(guards.flowProblem(accountWith(), compiled()), undefined);
  assert.equal(guards.recipientProblem(accountWith(), compiled(FLOW, true), FLOW, TO), undefined);
  assert.equal(guards.singleProblem(accountWith(), { flow: FLOW, to: TO, ref: undefined }), undefined);
  assert.equal(guards.loadProblem(accountWith(), 1_000_000), undefined);
});

test('every channel of the flow must be allowed', async () => {
  const problem = await guardsWith().flowProblem(accountWith({ channels: ['rcs'] }), compiled());
  assert.match(problem?.result ?? '', /may not send on the channel "sms"/);
});

test('names and texts of a flow are counted in bytes, to the last one', async () => {
  const { flowProblem } = guardsWith();
  const flowOf = (text: string) => [{ channel: 'sms', text }] as unknown as Flow;
  const others = '0channelsmstext'.length;
  for (const [character, bytes] of Object.entries({ a: 1, é: 2, 가: 3, '😀': 4 })) {
    const room = MAX_FLOW_BYTES - others;
    const full = character.repeat(Math.floor(room / bytes)) + 'a'.repeat(room % bytes);
    assert.equal(flowProblem(accountWith(), compiled(flowOf(full))), undefined, character);
    const problem = await flowProblem(accountWith(), compiled(flowOf(`${full}a`)));
    assert.equal(problem?.code, 'A300', character);
  }
});

test('every channel of the flow needs a carrier, and nothing is looked up where one has none', () => {
  let lookUps = 0;
  const check = async () => {
    lookUps++;
    return undefined;
  };
  const guards = guardsWith({ unrouted: ['sms'], checks: [check] });
  const problem = guards.recipientProblem(accountWith(), compiled(FLOW, true), FLOW, TO);
  assert.ok(problem instanceof Problem);
  assert.match(problem.result, /no carrier is configured for "sms"/);
  assert.equal(lookUps, 0);
});

test('a flow without placeholders is looked up once, one with them also for each recipient', async () => {
  const readings: string[] = [];
  const guards = guardsWith({
    checks: [
      (_account, { reading, to }) => {
        readings.push(`${reading} ${to ?? 'all'}`);
        return undefined;
      },
    ],
  });
  await guards.flowProblem(accountWith(), compiled());
  await guards.recipientProblem(accountWith(), compiled(), FLOW, TO);
  await guards.flowProblem(accountWith(), compiled(FLOW, true));
  await guards.recipientProblem(accountWith(), compiled(FLOW, true), FLOW, TO);
  assert.deepEqual(readings, ['final all', 'template all', `final ${TO}`]);
});

test('look-ups run side by side, and the first in the list is the answer, whichever ends first', async () => {
  const first = Promise.withResolvers<Problem | undefined>();
  const guards = guardsWith({
    checks: [
      () => first.promise,
      () => new Problem('A217', 'second'),
      async () => new Problem('A217', 'third'),
    ],
  });
  const answer = guards.flowProblem(accountWith(), compiled());
  first.resolve(new Problem('A300', 'first'));
  assert.match((await answer)?.result ?? '', /first/);

  const withoutFirst = guardsWith({ checks: [async () => undefined, () => new Problem('A217', 'second')] });
  assert.match((await withoutFirst.flowProblem(accountWith(), compiled()))?.result ?? '', /second/);
});

test('the rate of the account is answered before a full queue, each with a time to come back', async () => {
  const guards = guardsWith({ isFull: true });
  const limited = accountWith({ sendRate: 2 });
  assert.match((await guards.loadProblem(limited, 2))?.result ?? '', /queue is full/);
  const problem = await guards.loadProblem(limited, 2);
  assert.match(problem?.result ?? '', /2 recipients a second/);
  assert.equal(problem?.retryAfterSeconds, 1);
  assert.equal((await guards.loadProblem(accountWith(), 1))?.retryAfterSeconds, 5);
});
