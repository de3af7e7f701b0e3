import assert from 'node:assert/strict';
import test from 'node:test';
import { watchLoop } from './loop-watch.ts';

test('a turn that held the loop is seen as lag and as work', async t => {
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));
  const [lag, busy] = await new Promise<[lag: number, busy: number]>(resolve => {
    let reports = 0;
    const watch = watchLoop((...load) => {
      reports++;
      // The next report is of this work, whatever else held up the machine before.
      if (reports === 1) setImmediate(() => work(200));
      else {
        watch.stop();
        resolve(load);
      }
    }, 30);
  });
  assert.ok(lag >= 0.18, `after 200 ms it was late by ${lag} s`);
  assert.ok(busy >= 0.18, `of 200 ms it was busy for ${busy} s`);
});

function work(forMs: number): void {
  const end = performance.now() + forMs;
  while (performance.now() < end);
}
