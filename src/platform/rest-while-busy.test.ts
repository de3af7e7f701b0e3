import assert from 'node:assert/strict';
import test from 'node:test';
import { restWhileBusy } from './rest-while-busy.ts';

test('rests six times as long as this thread was busy while the work was done', async () => {
  let busyMs = 500;
  const waited: number[] = [];
  const beginWork = restWhileBusy({ busyMs: () => busyMs, wait: async ms => void waited.push(ms) });
  const first = beginWork();
  busyMs += 80;
  await first();
  const second = beginWork();
  busyMs += 2;
  await second();
  assert.deepEqual(waited, [480, 12]);
});
