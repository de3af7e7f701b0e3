import assert from 'node:assert/strict';
import { test } from 'node:test';
import { successionOf } from './takeover.ts';

const CLAIMED_AT = 1_000_000;
const FOR_MS = 60_000;
const REPEATABLE = { forMs: FOR_MS, isForgetful: false };
const FORGETFUL = { forMs: Number.MAX_SAFE_INTEGER, isForgetful: true };
const NO_PROMISE = { forMs: 0, isForgetful: false };
const submitting = { state: 'submitting', claimedAt: CLAIMED_AT, repeatUntil: undefined } as const;
const submitted = { state: 'submitted', claimedAt: CLAIMED_AT, repeatUntil: undefined } as const;

test('repeats an attempt in doubt while the promise of its carrier holds', () => {
  const until = CLAIMED_AT + FOR_MS;
  assert.deepEqual(successionOf(submitting, REPEATABLE, CLAIMED_AT + 10), { kind: 'repeat', until });
  assert.deepEqual(successionOf(submitting, REPEATABLE, until), { kind: 'doubt' });
});

test('counts the promise from the first time that an attempt was made', () => {
  const again = { ...submitting, repeatUntil: CLAIMED_AT + 5000 };
  const expected = { kind: 'repeat', until: CLAIMED_AT + 5000 };
  assert.deepEqual(successionOf(again, REPEATABLE, CLAIMED_AT + 4999), expected);
  assert.deepEqual(successionOf(again, REPEATABLE, CLAIMED_AT + 5000), { kind: 'doubt' });
});

test('an attempt at a carrier without a promise stays unknown', () => {
  assert.deepEqual(successionOf(submitting, NO_PROMISE, CLAIMED_AT), { kind: 'doubt' });
  assert.deepEqual(successionOf(submitting, undefined, CLAIMED_AT), { kind: 'doubt' });
});

test('relies on no promise after the clock was set back', () => {
  assert.deepEqual(successionOf(submitting, NO_PROMISE, CLAIMED_AT - 3_600_000), { kind: 'doubt' });
  assert.deepEqual(successionOf(submitting, REPEATABLE, CLAIMED_AT - 3_600_000), { kind: 'doubt' });
});

test('submits again to a carrier that lost its memory, whatever the clock says', () => {
  assert.equal(successionOf(submitted, FORGETFUL, CLAIMED_AT - 3_600_000).kind, 'repeat');
  assert.equal(successionOf(submitted, REPEATABLE, CLAIMED_AT + 10).kind, 'wait');
});
