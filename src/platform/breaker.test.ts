import assert from 'node:assert/strict';
import test from 'node:test';
import { Breaker, type BreakerPolicy, doublingPause } from './breaker.ts';

const PAUSE = doublingPause(1000, 3000);
const POLICY: BreakerPolicy = { failures: 2, pauseMs: PAUSE };

test('pauses double up to the longest', () => {
  assert.deepEqual([0, 1, 2, 3, 2000].map(PAUSE), [1000, 2000, 3000, 3000, 3000]);
  assert.equal(doublingPause(0, 3000)(2000), 0);
});

test('a success in between starts the count anew', () => {
  const breaker = new Breaker(POLICY);
  assert.equal(breaker.failed(0), false);
  breaker.succeeded();
  assert.equal(breaker.failed(0), false);
  assert.equal(breaker.state(0), 'closed');
  assert.equal(breaker.failed(0), true);
  assert.equal(breaker.state(0), 'open');
});

test('opens for the length of its pause, and late failures do not lengthen it', () => {
  const breaker = new Breaker(POLICY);
  breaker.failed(0);
  breaker.failed(0);
  for (let call = 0; call < 10; call++) assert.equal(breaker.failed(500), false);
  assert.equal(breaker.remainingMs(500), 500);
  assert.deepEqual([breaker.state(999), breaker.state(1000) === 'open'], ['open', false]);
  assert.equal(breaker.remainingMs(5000), 0);
});

test('pauses grow until a success', () => {
  const breaker = new Breaker(POLICY);
  const pauses: number[] = [];
  let now = 0;
  const open = () => {
    while (!breaker.failed(now)) assert.notEqual(breaker.state(now), 'open');
    pauses.push(breaker.remainingMs(now));
    now += breaker.remainingMs(now);
  };
  for (let times = 0; times < 4; times++) open();
  breaker.succeeded();
  open();
  assert.deepEqual(pauses, [1000, 2000, 3000, 3000, 1000]);
});

test('a pause can be ended early', () => {
  const breaker = new Breaker(POLICY);
  breaker.failed(0);
  breaker.failed(0);
  breaker.endPause(999);
  assert.notEqual(breaker.state(999), 'open');
  assert.equal(breaker.isTripped, true);
});

test('after the pause one failure opens it again, and one success closes it', () => {
  const breaker = new Breaker(POLICY);
  breaker.failed(0);
  breaker.failed(0);
  assert.equal(breaker.state(1000), 'probing');
  assert.equal(breaker.failed(1000), true);
  assert.equal(breaker.state(3000), 'probing');
  breaker.succeeded();
  assert.deepEqual([breaker.state(3000), breaker.isTripped], ['closed', false]);
  assert.equal(breaker.failed(3000), false);
});

test('a success during the pause closes it', () => {
  const breaker = new Breaker(POLICY);
  breaker.failed(0);
  breaker.failed(0);
  breaker.succeeded();
  assert.equal(breaker.state(1), 'closed');
});
