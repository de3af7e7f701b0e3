import assert from 'node:assert/strict';
import test from 'node:test';
import { relativeTime, validityOf } from './validity.ts';

const HOUR_MS = 3_600_000;

test('a validity is a relative time', () => {
  assert.equal(relativeTime(90_000), '000000000130000R');
  assert.equal(relativeTime(25 * HOUR_MS), '000001010000000R');
  assert.equal(relativeTime(3 * 24 * HOUR_MS), '000003000000000R');
});

test('a submit is valid for as long as both its carrier and its message say', () => {
  assert.equal(validityOf(undefined, undefined), '');
  assert.equal(validityOf(90_000, undefined), relativeTime(90_000));
  assert.equal(validityOf(undefined, 60_000), relativeTime(60_000));
  assert.equal(validityOf(90_000, 60_000), relativeTime(60_000));
  assert.equal(validityOf(90_000, 120_000), relativeTime(90_000));
  assert.equal(validityOf(undefined, 10), relativeTime(1000));
});
