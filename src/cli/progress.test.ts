import assert from 'node:assert/strict';
import test from 'node:test';
import { durationText } from './progress.ts';

test('the time that is left is told in its two largest units', () => {
  assert.deepEqual([0, 59, 60, 3599, 3600, 90_061].map(durationText), [
    '0 s',
    '59 s',
    '1 min 0 s',
    '59 min 59 s',
    '1 h 0 min',
    '25 h 1 min',
  ]);
});
