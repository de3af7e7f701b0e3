import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock, sleep } from './clock.ts';

test('a sleep ends after its time, and not before', async () => {
  const clock = new ManualClock();
  let isOver = false;
  const slept = sleep(clock, 1000).then(() => {
    isOver = true;
  });
  clock.advance(999);
  await turn();
  assert.equal(isOver, false);
  clock.advance(1);
  await slept;
  assert.equal(isOver, true);
});

test('a sleep is not shortened by a wall clock that is set ahead', async () => {
  const clock = new ManualClock();
  let isOver = false;
  void sleep(clock, 1000).then(() => {
    isOver = true;
  });
  clock.setWallBy(3_600_000);
  clock.advance(500);
  await turn();
  assert.equal(isOver, false);
});
