import assert from 'node:assert/strict';
import test from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { FastHistogram } from './histogram.ts';

test('writes out the same as the histogram of prom-client', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const buckets = [0.1, 0.5, 1];
  const fast = new FastHistogram({ name: 'seconds', help: 'Time', buckets, registry: ours });
  const slow = new Histogram({
    name: 'seconds',
    help: 'Time',
    buckets,
    labelNames: ['route'],
    registers: [theirs],
  });
  for (const [route, value] of [
    ['/a', 0.05],
    ['/a', 0.1],
    ['/a', 0.7],
    ['/b', 2],
  ] as const) {
    fast.series({ route }).observe(value);
    slow.observe({ route }, value);
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
});
