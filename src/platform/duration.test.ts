import assert from 'node:assert/strict';
import test from 'node:test';
import { parseDurationMs, parseDurationRange } from './duration.ts';

test('reads durations in milliseconds, seconds, minutes, hours and days', () => {
  const cases: [string, number | undefined][] = [
    ['500ms', 500],
    ['90s', 90_000],
    ['10m', 600_000],
    ['25h', 90_000_000],
    ['3d', 259_200_000],
    ['0s', 0],
    ['90', undefined],
    ['1.5h', undefined],
    ['-1s', undefined],
    ['1 h', undefined],
    ['1w', undefined],
    ['1234567890s', undefined],
    ['soon', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases) assert.equal(parseDurationMs(text), expected, text);
});

test('reads 0 and ranges in milliseconds, the smaller number first', () => {
  assert.deepEqual(parseDurationRange('0'), { minMs: 0, maxMs: 0 });
  assert.deepEqual(parseDurationRange('50-300ms'), { minMs: 50, maxMs: 300 });
  assert.deepEqual(parseDurationRange('50-50ms'), { minMs: 50, maxMs: 50 });
  for (const text of ['300-50ms', '50-300', '50ms', '-300ms', '1s-2s', '']) {
    assert.equal(parseDurationRange(text), undefined, text);
  }
});
