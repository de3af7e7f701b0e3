import assert from 'node:assert/strict';
import test from 'node:test';
import { isFinal, nextState, STEP_EVENTS, STEP_STATES, TRANSITIONS } from './lifecycle.ts';

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
