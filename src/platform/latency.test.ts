import assert from 'node:assert/strict';
import test from 'node:test';
import { latencyStep, percentileMs } from './latency.ts';

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
