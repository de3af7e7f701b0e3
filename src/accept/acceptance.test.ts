import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { RequestId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import { ManualClock } from '../platform/clock.ts';
import { type AcceptResult, type NewRequest, type Store, StoreFault } from '../store/store.ts';
import { Acceptance } from './acceptance.ts';

const TIMEOUT_MS = 10_000;
const STORED: AcceptResult = { kind: 'stored' };
const away = () => Promise.reject(new StoreFault('didNotHappen', 'away'));
const doubtful = () => Promise.reject(new StoreFault('mayHaveHappened', 'cut'));
const never = () => new Promise<never>(() => {});

interface Script {
  /** What each call does in turn; the last one goes on. */
  readonly accept: readonly (() => Promise<AcceptResult>)[];
  readonly isStored?: readonly (() => Promise<boolean>)[];
  readonly withdraw?: () => Promise<boolean>;
  readonly isKeyed?: boolean;
}

function play<T>(turns: readonly (() => Promise<T>)[]): { call: () => Promise<T>; count: () => number } {
  let calls = 0;
  const call = () => {
    const next = turns[Math.min(calls++, turns.length - 1)];
    return next ? next() : Promise.reject(new Error('nobody expected this call'));
  };
  return { call, count: () => calls };
}

function begin({ accept, isStored = [], withdraw, isKeyed = false }: Script) {
  const clock = new ManualClock();
  const outcomes: string[] = [];
  const [accepts, lookUps] = [play(accept), play(isStored)];
  const withdrawals = play(withdraw ? [withdraw] : []);
  const messages = { accept: accepts.call, isStored: lookUps.call, withdraw: withdrawals.call };
  const events: Pick<Events, 'doubtResolved' | 'failed'> = {
    doubtResolved: (_id, outcome) => void outcomes.push(outcome),
    failed: (_where, error) => void outcomes.push(String(error)),
  };
  const acceptance = new Acceptance({
    store: { messages } as unknown as Store,
    clock,
    events: events as Events,
    storeTimeoutMs: TIMEOUT_MS,
  });
  const idempotency = isKeyed ? { key: 'k', bodyHash: 'b', response: 'r' } : undefined;
  const request = { requestId: 'request-1' as RequestId, idempotency } as NewRequest;
  const answer = acceptance.accept(request, acceptance.begin()).catch((error: unknown) => error);
  return { acceptance, clock, outcomes, answer, accepts, lookUps, withdrawals };
}

/** Lets time pass in small steps, so that whatever waits by the clock comes to its turn. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    clock.advance(50);
    await turn();
  }
}

test('tells that it is stored when the look-up says so', async () => {
  const { answer, outcomes } = begin({ accept: [doubtful], isStored: [async () => true] });
  assert.deepEqual(await answer, STORED);
  assert.deepEqual(outcomes, ['stored']);
});

test('stores it again when the look-up says that it is not there', async () => {
  const { answer, accepts } = begin({
    accept: [doubtful, async () => STORED],
    isStored: [async () => false],
  });
  assert.deepEqual(await answer, STORED);
  assert.equal(accepts.count(), 2);
});

test('refuses for certain what was not stored twice', async () => {
  const { answer, accepts } = begin({ accept: [doubtful], isStored: [async () => false] });
  const fault = await answer;
  assert.ok(fault instanceof StoreFault && fault.outcome === 'didNotHappen');
  assert.equal(accepts.count(), 2);
});

test('passes on at once a fault that did not happen, and a bug', async () => {
  const gone = begin({ accept: [away] });
  assert.ok((await gone.answer) instanceof StoreFault);
  const bug = new TypeError('of undefined');
  assert.equal(await begin({ accept: [() => Promise.reject(bug)] }).answer, bug);
});

test('asks until the store can tell, within the time of the request', async () => {
  const { answer, clock, lookUps } = begin({
    accept: [doubtful],
    isStored: [away, doubtful, async () => true],
  });
  await pass(clock, 500);
  assert.deepEqual(await answer, STORED);
  assert.equal(lookUps.count(), 3);
});

for (const [title, script] of [
  ['the look-up fails', { accept: [doubtful], isStored: [away] }],
  ['the look-up never answers', { accept: [doubtful], isStored: [never] }],
  ['the accept never answers', { accept: [never], isStored: [away] }],
] as const) {
  test(`answers that the outcome is unknown at the end of the time limit, when ${title}`, async () => {
    const { answer, clock, acceptance } = begin({ ...script, isKeyed: true });
    await pass(clock, TIMEOUT_MS);
    const problem = await answer;
    acceptance.stop();
    assert.ok(problem instanceof Problem);
    assert.equal(problem.code, 'A920');
    assert.equal(problem.retryAfterSeconds, 1);
    assert.match(problem.result, /not known whether the request was stored.*same Idempotency-Key is safe/);
  });
}

for (const [title, script, outcome, withdrawals] of [
  ['was never stored', { isStored: async () => false }, 'notStored', 0],
  ['was stored, and not begun', { isStored: async () => true, withdraw: async () => true }, 'withdrawn', 1],
  ['was stored, and begun', { isStored: async () => true, withdraw: async () => false }, 'kept', 1],
  ['has a key to repeat it by', { isStored: async () => true, isKeyed: true }, 'kept', 0],
] as const) {
  test(`finds out later about a request that ${title}: ${outcome}`, async () => {
    let isAway = true;
    const { isStored, ...rest } = script;
    const run = begin({
      ...rest,
      accept: [doubtful],
      isStored: [() => (isAway ? away() : isStored())],
    });
    await pass(run.clock, TIMEOUT_MS);
    assert.ok((await run.answer) instanceof Problem);
    await pass(run.clock, TIMEOUT_MS);
    assert.deepEqual(run.outcomes, [], 'as long as the store is away');
    isAway = false;
    await pass(run.clock, TIMEOUT_MS);
    assert.deepEqual(run.outcomes, [outcome]);
    assert.equal(run.withdrawals.count(), withdrawals);
  });
}

test('withdraws a request that was stored after the answer, because its turn came late', async () => {
  const { promise: turnComes, resolve: storeNow } = Promise.withResolvers<AcceptResult>();
  let isThere = false;
  const run = begin({
    accept: [() => turnComes],
    isStored: [async () => isThere],
    withdraw: async () => true,
  });
  await pass(run.clock, TIMEOUT_MS);
  assert.ok((await run.answer) instanceof Problem);
  await pass(run.clock, TIMEOUT_MS);
  assert.deepEqual(run.outcomes, [], 'as long as it may still be stored');
  isThere = true;
  storeNow(STORED);
  await pass(run.clock, TIMEOUT_MS);
  assert.deepEqual(run.outcomes, ['withdrawn']);
});

test('stops looking when it is stopped', async () => {
  const { answer, clock, acceptance, lookUps } = begin({ accept: [doubtful], isStored: [away] });
  await pass(clock, TIMEOUT_MS);
  await answer;
  acceptance.stop();
  const before = lookUps.count();
  await pass(clock, TIMEOUT_MS);
  assert.equal(lookUps.count(), before);
});
