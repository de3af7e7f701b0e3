import assert from 'node:assert/strict';
import test from 'node:test';
import {
  isFinal,
  nextState,
  STEP_EVENTS,
  STEP_STATES,
  type StepEventName,
  type StepState,
  TRANSITIONS,
} from './lifecycle.ts';

const NOT_FINAL: readonly StepState[] = ['queued', 'retrying', 'submitting', 'submitted', 'unknown'];
/** Where a submit has no certain end yet. */
const UNDECIDED: readonly StepState[] = ['submitting', 'unknown'];
const WAITING: readonly StepState[] = ['queued', 'retrying'];
const WITH_CARRIER: readonly StepState[] = ['submitted', 'unknown'];

const ADMITTED_IN: Readonly<Record<StepEventName, readonly [to: StepState, from: readonly StepState[]]>> = {
  claimed: ['submitting', WAITING],
  accepted: ['submitted', ['queued', ...UNDECIDED]],
  refused: ['failed', UNDECIDED],
  deferred: ['retrying', UNDECIDED],
  lost: ['unknown', ['submitting']],
  receivedDelivered: ['delivered', NOT_FINAL],
  receivedFailed: ['failed', NOT_FINAL],
  returned: ['queued', UNDECIDED],
  rerouted: ['queued', UNDECIDED],
  repeated: ['queued', ['submitting', 'submitted']],
  postponed: ['queued', UNDECIDED],
  optedOut: ['failed', [...WAITING, ...UNDECIDED]],
  deadline: ['expired', NOT_FINAL],
  toldDelivered: ['delivered', WITH_CARRIER],
  toldFailed: ['failed', WITH_CARRIER],
  cancelled: ['failed', WAITING],
};

for (const event of STEP_EVENTS) {
  const [to, from] = ADMITTED_IN[event];
  test(`${event} leads from ${from.join(', ')} to ${to}, and changes no other state`, () => {
    const found = STEP_STATES.filter(state => nextState(state, event) !== undefined);
    assert.deepEqual(found.toSorted(), from.toSorted());
    for (const state of from) assert.equal(nextState(state, event), to, state);
  });
}

test('nothing leaves a final state', () => {
  for (const state of STEP_STATES.filter(isFinal)) {
    for (const event of STEP_EVENTS) assert.equal(nextState(state, event), undefined, `${state} ${event}`);
  }
});

test('every state can be reached, and every state that is not final has a way to an end', () => {
  const reached = new Set(['queued']);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const state of STEP_STATES.filter(name => reached.has(name))) {
      for (const next of Object.values(TRANSITIONS[state])) reached.add(next);
    }
  }
  assert.deepEqual([...reached].sort(), [...STEP_STATES].sort());
  for (const state of STEP_STATES.filter(name => !isFinal(name))) {
    assert.equal(nextState(state, 'deadline'), 'expired', state);
  }
});

test('a step that may have been sent is never claimed again', () => {
  for (const state of ['submitting', 'submitted', 'unknown'] as const) {
    assert.equal(nextState(state, 'claimed'), undefined);
  }
});

test('a doubt is settled by an answer, a receipt or the deadline, and never by a new claim', () => {
  assert.equal(nextState('unknown', 'claimed'), undefined);
  assert.equal(nextState('unknown', 'repeated'), undefined);
  assert.equal(nextState('unknown', 'deferred'), 'retrying');
  assert.equal(nextState('unknown', 'accepted'), 'submitted');
  assert.equal(nextState('unknown', 'receivedDelivered'), 'delivered');
});
