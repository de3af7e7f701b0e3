import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MsgKey } from '../domain/ids.ts';
import { ManualClock } from '../platform/clock.ts';
import type { QueueEvent } from '../store/store.ts';
import { Outcomes, type ReceiptEvent } from './outcomes.ts';

const CARRIER = 'one';

function answer(name: string, ...refs: string[]): Extract<QueueEvent, { kind: 'step' }> {
  const msgKey = name as MsgKey;
  return { kind: 'step', msgKey, step: 0, attempt: 1, event: { name: 'accepted' }, carrier: CARRIER, refs };
}

function receipt(ref: string): ReceiptEvent {
  return { kind: 'receipt', carrier: CARRIER, ref, receivedAt: 0, event: { name: 'receivedDelivered' } };
}

/** `a` and `b` are answers, `a1` is a receipt with that reference. */
const nameOf = (event: QueueEvent) => (event.kind === 'step' ? event.msgKey : event.ref);

function start() {
  const clock = new ManualClock();
  const calls: string[][] = [];
  const letGo: string[] = [];
  const store = { isAway: false };
  let failures = 0;
  const outcomes = new Outcomes({
    carrier: CARRIER,
    clock,
    events: { failed: () => void failures++ },
    claims: { letGo: msgKey => void letGo.push(msgKey) },
    onSettled: () => {},
    async settle(events) {
      calls.push(events.map(nameOf));
      if (store.isAway) throw new Error('the store is away');
      return events.map(event => (event.kind === 'receipt' ? 'ended' : 'moved'));
    },
  });
  return { outcomes, clock, calls, letGo, store, failures: () => failures };
}

test('what comes in one turn is settled together, each receipt behind the answer that names it', async () => {
  const { outcomes, calls, letGo } = start();
  const settled = outcomes.received([receipt('b1'), receipt('x1'), receipt('a2'), receipt('a1')]);
  outcomes.answered(answer('a', 'a1', 'a2'));
  outcomes.answered(answer('b', 'b1'));
  const more = outcomes.received([receipt('a1')]);
  assert.deepEqual(await settled, ['ended', 'ended', 'ended', 'ended']);
  assert.deepEqual(await more, ['ended']);
  assert.deepEqual(calls, [['a', 'a1', 'a1', 'a2', 'b', 'b1', 'x1']]);
  assert.deepEqual(letGo, ['a', 'b']);
  assert.equal(outcomes.unsettled, 0);
});

test('while the store is away receipts fail, and answers are tried again without them', async () => {
  const { outcomes, calls, clock, store, letGo, failures } = start();
  store.isAway = true;
  outcomes.answered(answer('a', 'a1'));
  await assert.rejects(outcomes.received([receipt('a1')]), /away/);
  await nextTurn();
  assert.equal(outcomes.unsettled, 1);
  store.isAway = false;
  clock.advance(1000);
  await nextTurn();
  assert.deepEqual(calls, [['a', 'a1'], ['a']]);
  assert.deepEqual(letGo, ['a']);
  assert.equal(outcomes.unsettled, 0);
  assert.equal(failures(), 1);
});

test('an abandoned answer is not tried again', async () => {
  const { outcomes, calls, clock, store } = start();
  store.isAway = true;
  outcomes.answered(answer('a'));
  await nextTurn();
  await nextTurn();
  outcomes.abandon();
  clock.advance(1000);
  await nextTurn();
  assert.equal(calls.length, 1);
  assert.equal(outcomes.unsettled, 0);
});
