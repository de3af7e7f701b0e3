import assert from 'node:assert/strict';
import test from 'node:test';
import { relativeTime } from './validity.ts';

const HOUR_MS = 3_600_000;

test('a validity is a relative time', () => {
  assert.equal(relativeTime(90_000), '000000000130000R');
  assert.equal(relativeTime(25 * HOUR_MS), '000001010000000R');
  assert.equal(relativeTime(3 * 24 * HOUR_MS), '000003000000000R');
});
