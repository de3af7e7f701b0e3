import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LATE_COMMIT_MS, LongAnswer, LongLook, NumberedQueue } from './long-look.ts';

class Watch {
  at = 0;
  monotonic() {
    return this.at;
  }
  /** Work that takes so long. */
  readonly taking = (ms: number) => async () => {
    this.at += ms;
  };
}

test('looks that take long in a row get rests of twenty times their length, until one is short again', async () => {
  const watch = new Watch();
  const look = new LongLook(watch);
  for (let time = 0; time < 4; time++) await look.make(watch.taking(100));
  assert.ok(look.isDue);
  await look.make(watch.taking(100));
  assert.deepEqual([look.isLong, look.isDue], [true, false]);
  watch.at += 1_999;
  assert.equal(look.isDue, false);
  watch.at += 1;
  assert.ok(look.isDue);
  await look.make(watch.taking(10));
  assert.deepEqual([look.isLong, look.isDue], [false, true]);
});

test('a look that fails counts as one that was made', async () => {
  const watch = new Watch();
  const look = new LongLook(watch);
  for (let time = 0; time < 5; time++) {
    const failing = look.make(async () => {
      watch.at += 5_000;
      throw new Error('it took too long');
    });
    await assert.rejects(failing);
  }
  assert.deepEqual([look.isLong, look.isDue], [true, false]);
});

test('a numbered queue is looked at from what was reached so long ago that nothing before it is committed any more', async () => {
  const watch = new Watch();
  const queue = new NumberedQueue(watch);
  const from = async (tookMs = 0) => {
    return queue.make(async number => {
      watch.at += tookMs;
      return number;
    });
  };
  for (let time = 0; time < 5; time++) await from(60_000);
  queue.reached(7);
  assert.equal(await from(), 0);
  queue.reached(9);
  watch.at += LATE_COMMIT_MS;
  queue.reached(12);
  assert.equal(await from(), 7);
});

test('an answer that takes long is given again while its look rests', async () => {
  const watch = new Watch();
  const answer = new LongAnswer<number>(watch);
  let asked = 0;
  const get = () =>
    answer.get(async () => {
      watch.at += 200;
      return ++asked;
    });
  for (let time = 0; time < 9; time++) await get();
  assert.equal(asked, 5);
  watch.at += 4_000;
  assert.equal(await get(), 6);
});
