import assert from 'node:assert/strict';
import test from 'node:test';
import { nextLook } from './rollups.ts';

const NOW = Date.UTC(2026, 10, 15);

test('a message on its way is looked at again in whole milliseconds, the later the older it is', () => {
  const looks = [0, 1, 4_999, 60_001, 1_200_003, 9_999_999].map(ageMs => nextLook(NOW - ageMs, NOW));
  for (const at of looks) assert.ok(Number.isInteger(at) && at > NOW, String(at));
  assert.deepEqual(
    looks,
    looks.toSorted((a, b) => a - b),
  );
});
