import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRetryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 5, 3);

test('reads seconds and dates, and bounds both', () => {
  const cases: [string | undefined, number | undefined][] = [
    ['7', 7000],
    ['0', 0],
    ['1.5', 1500],
    ['999999', 3_600_000],
    ['86400', 3_600_000],
    ['Mon, 05 Jan 2026 03:00:30 GMT', 30_000],
    ['Mon, 05 Jan 2026 03:02:00 GMT', 120_000],
    ['Tue, 06 Jan 2026 03:00:00 GMT', 3_600_000],
    ['Mon, 05 Jan 2026 02:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['-5', 0],
    [undefined, undefined],
  ];
  for (const [value, expected] of cases) assert.equal(parseRetryAfterMs(value, NOW), expected, value);
});
