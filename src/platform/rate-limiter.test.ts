import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from './clock.ts';
import { RateLimiter } from './rate-limiter.ts';

const TEN = { ratePerSecond: 10, burst: 10 };

test('lets the burst through, then says in how many seconds to come back', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock);
  for (let call = 0; call < 10; call++) assert.equal(limiter.take('a', TEN), undefined);
  assert.deepEqual(limiter.take('a', TEN), { retryAfterSeconds: 1 });
  clock.advance(100);
  assert.equal(limiter.take('a', TEN), undefined);
  assert.notEqual(limiter.take('a', TEN), undefined);
});

test('a wall clock that is set gives no tokens and takes none', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock);
  for (let call = 0; call < 10; call++) limiter.take('a', TEN);
  clock.setWallBy(3_600_000);
  assert.deepEqual(limiter.take('a', TEN), { retryAfterSeconds: 1 });
  clock.setWallBy(-2 * 3_600_000);
  clock.advance(1000);
  for (let call = 0; call < 10; call++) assert.equal(limiter.take('a', TEN), undefined);
});

test('keys do not share', () => {
  const limiter = new RateLimiter(new ManualClock());
  assert.equal(limiter.take('a', { ratePerSecond: 1, burst: 1 }), undefined);
  assert.equal(limiter.take('b', { ratePerSecond: 1, burst: 1 }), undefined);
});

test('a cost above the burst passes when the bucket is full, and is paid off after', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock);
  assert.equal(limiter.take('a', { ratePerSecond: 2, burst: 2 }, 10), undefined);
  clock.advance(4000);
  assert.notEqual(limiter.take('a', { ratePerSecond: 2, burst: 2 }), undefined);
  clock.advance(1000);
  assert.equal(limiter.take('a', { ratePerSecond: 2, burst: 2 }), undefined);
});

test('a clock that goes back gives nothing away', () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock);
  limiter.take('a', { ratePerSecond: 1, burst: 1 });
  clock.advance(-60_000);
  assert.notEqual(limiter.take('a', { ratePerSecond: 1, burst: 1 }), undefined);
});

test('what is given back can be taken again, and never makes more than the burst', () => {
  const limiter = new RateLimiter(new ManualClock());
  const one = { ratePerSecond: 1, burst: 1 };
  limiter.take('a', one);
  limiter.giveBack('a');
  limiter.giveBack('a');
  assert.equal(limiter.take('a', one), undefined);
  assert.notEqual(limiter.take('a', one), undefined);
});

test('made-up keys do not displace a key that is in use', () => {
  const limiter = new RateLimiter(new ManualClock());
  const one = { ratePerSecond: 1, burst: 1 };
  limiter.take('a', one);
  for (let count = 0; count < 150_000; count++) {
    limiter.take(`made up ${count}`, one);
    if (count % 50_000 === 0) assert.notEqual(limiter.take('a', one), undefined);
  }
  assert.notEqual(limiter.take('a', one), undefined);
});
