import assert from 'node:assert/strict';
import test from 'node:test';
import { LATENCY_RANGES, latencyRange, latencyStep, percentileMs, percentileOfRangesMs } from './latency.ts';

test('percentiles are within ten percent of the latencies that were counted', () => {
  const counts = new Map<number, number>();
  for (let ms = 1; ms <= 1000; ms++) counts.set(latencyStep(ms), (counts.get(latencyStep(ms)) ?? 0) + 1);
  for (const [share, exact] of [
    [0.5, 500],
    [0.99, 990],
  ] as const) {
    const estimate = percentileMs(counts, share) ?? 0;
    assert.ok(Math.abs(estimate / exact - 1) <= 0.1, `${share}: ${estimate}`);
  }
});

test('nothing counted has no percentile, and an instant has one', () => {
  assert.equal(percentileMs(new Map(), 0.5), null);
  assert.equal(percentileMs(new Map([[latencyStep(0), 1]]), 0.5), 1);
});

test('percentiles of ranges are as close as the ranges are', () => {
  const counts = Array.from<number>({ length: LATENCY_RANGES }).fill(0);
  for (let ms = 1; ms <= 1000; ms++) {
    const range = latencyRange(ms);
    counts[range] = (counts[range] ?? 0) + 1;
  }
  assert.equal(percentileOfRangesMs(counts, 0.5), 500);
  assert.equal(percentileOfRangesMs(counts, 0.99), 990);
  assert.equal(percentileOfRangesMs([], 0.5), null);
  const overflow = Array.from<number>({ length: LATENCY_RANGES }).fill(0);
  overflow[latencyRange(10 ** 9)] = 1;
  assert.equal(percentileOfRangesMs(overflow, 0.99), 86_400_000, 'a day or more');
});
