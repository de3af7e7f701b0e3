import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../platform/clock.ts';
import { createStopTogether } from './stop-steps.ts';

function stopping() {
  const clock = new ManualClock();
  const logged: { event: string; step: string }[] = [];
  const log = { error: (line: { event: string; step: string }) => logged.push(line) };
  const stopTogether = createStopTogether({
    clock,
    log: log as unknown as Parameters<typeof createStopTogether>[0]['log'],
  });
  return { clock, stopTogether, logged: () => logged.map(({ event, step }) => `${event} ${step}`) };
}

test('a step that fails or throws does not prevent the other steps', async () => {
  const { stopTogether, logged } = stopping();
  const stopped: string[] = [];
  await stopTogether(1000, {
    rejecting: () => Promise.reject(new Error('away')),
    throwing: () => {
      throw new Error('a bug');
    },
    other: () => stopped.push('other'),
  });
  assert.deepEqual(stopped, ['other']);
  assert.deepEqual(logged().sort(), ['stopFailed rejecting', 'stopFailed throwing']);
});

test('a step that never ends is abandoned after its time limit', async () => {
  const { clock, stopTogether, logged } = stopping();
  let isOver = false;
  const all = stopTogether(1000, { hanging: () => new Promise(() => {}), other: () => {} }).then(() => {
    isOver = true;
  });
  clock.advance(999);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  clock.advance(1);
  await all;
  assert.deepEqual(logged(), ['stopTakesTooLong hanging']);
});
