import assert from 'node:assert/strict';
import test from 'node:test';
import { watchLoop } from './loop-watch.ts';

test('a turn that held the loop is seen as lag and as work', async t => {
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));
  const loads: [lag: number, busy: number][] = [];
  await new Promise<void>(resolve => {
    const watch = watchLoop((lag, busy) => {
      loads.push([lag, busy]);
      if (loads.length === 1) setImmediate(() => work(200));
      if (lag >= 0.18) {
        watch.stop();
        resolve();
      }
    }, 30);
  });
  const [, busy = 0] = loads.at(-1) ?? [];
  assert.ok(busy >= 0.18, `of 200 ms it was busy for ${busy} s`);
});

function work(forMs: number): void {
  const end = performance.now() + forMs;
  while (performance.now() < end);
}
