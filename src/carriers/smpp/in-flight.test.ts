import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answered, InFlight, type Outcome } from './in-flight.ts';

function submit() {
  const outcomes: Outcome[] = [];
  const late: Answered[] = [];
  return {
    outcomes,
    late,
    encode() {},
    settle: (outcome: Outcome) => void outcomes.push(outcome),
    answeredLate: (answer: Answered) => void late.push(answer),
  };
}

const TAKEN: Outcome = { kind: 'answered', status: 0, messageId: '7' };

test('an answer after the limit of time reaches its submit once, as a late one', () => {
  const inFlight = new InFlight();
  const outgoing = submit();
  inFlight.add(1, outgoing, 0);
  assert.equal(inFlight.expire(0), 1);
  assert.deepEqual([outgoing.outcomes, inFlight.size], [[{ kind: 'silent' }], 0]);
  assert.equal(inFlight.settle(1, TAKEN), 'late');
  assert.equal(inFlight.settle(1, TAKEN), 'unknown');
  assert.deepEqual([outgoing.outcomes.length, outgoing.late], [1, [TAKEN]]);
});

test('what expired is kept for an hour, and no more than ten thousand of it', () => {
  const inFlight = new InFlight();
  const old = submit();
  inFlight.add(1, old, 0);
  inFlight.expire(0);
  inFlight.expire(3_599_999);
  assert.equal(inFlight.settle(1, TAKEN), 'late');
  inFlight.add(2, old, 3_600_000);
  inFlight.expire(3_600_000);
  inFlight.expire(7_200_001);
  assert.equal(inFlight.settle(2, TAKEN), 'unknown');
  for (let sequence = 10; sequence <= 10_010; sequence++) inFlight.add(sequence, submit(), 8_000_000);
  inFlight.expire(8_000_000);
  assert.deepEqual([inFlight.settle(10, TAKEN), inFlight.settle(11, TAKEN)], ['unknown', 'late']);
});

test('a number whose answer may still come is not used again, until the session ends', () => {
  const inFlight = new InFlight();
  const sequence = inFlight.nextSequence();
  inFlight.add(sequence, submit(), 0);
  inFlight.expire(0);
  assert.notEqual(inFlight.nextSequence(), sequence);
  inFlight.close();
  assert.equal(inFlight.settle(sequence, TAKEN), 'unknown');
});
