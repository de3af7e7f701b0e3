import assert from 'node:assert/strict';
import test from 'node:test';
import { type Rate, TokenBucket } from './token-bucket.ts';

const TEN: Rate = { ratePerSecond: 10, burst: 5 };
const UNLIMITED: Rate = { ratePerSecond: Number.POSITIVE_INFINITY, burst: Number.POSITIVE_INFINITY };

test('starts full, fills at its rate, and never beyond its burst', () => {
  const bucket = new TokenBucket(TEN, 0);
  assert.equal(bucket.fill(TEN, 0), 5);
  bucket.take(5);
  assert.equal(bucket.fill(TEN, 0), 0);
  assert.equal(bucket.fill(TEN, 200), 2);
  assert.equal(bucket.fill(TEN, 60_000), 5);
});

test('says how long until there are enough tokens', () => {
  const bucket = new TokenBucket(TEN, 0);
  assert.equal(bucket.msUntil(5, TEN, 0), 0);
  bucket.take(7);
  assert.equal(bucket.msUntil(1, TEN, 0), 300);
  assert.equal(bucket.msUntil(1, TEN, 250), 50);
});

test('a rate that changes counts from then on', () => {
  const bucket = new TokenBucket(TEN, 0);
  bucket.take(5);
  bucket.fill(TEN, 100);
  assert.equal(bucket.fill({ ratePerSecond: 1, burst: 5 }, 1100), 2);
});

test('without a limit there is always room, and a limit after that starts empty', () => {
  const bucket = new TokenBucket(UNLIMITED, 0);
  bucket.take(1_000_000);
  assert.equal(bucket.fill(UNLIMITED, 0), Number.POSITIVE_INFINITY);
  assert.equal(bucket.msUntil(1, UNLIMITED, 0), 0);
  assert.equal(bucket.fill(TEN, 0), 0);
  assert.equal(bucket.fill(TEN, 100), 1);
});

test('a reading that goes back gives nothing', () => {
  const bucket = new TokenBucket(TEN, 1000);
  bucket.take(5);
  assert.equal(bucket.fill(TEN, 0), 0);
  assert.equal(bucket.fill(TEN, 1000), 0);
});
