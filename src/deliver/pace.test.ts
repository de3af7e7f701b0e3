import assert from 'node:assert/strict';
import test from 'node:test';
import { Pace } from './pace.ts';

test('a rate of 0 is no limit', () => {
  const pace = new Pace(0, 0);
  pace.take(1_000_000);
  assert.equal(pace.room(0), Number.POSITIVE_INFINITY);
  assert.equal(pace.msUntilRoom(0), 0);
});

test('lets no more through than the rate, after the first burst', () => {
  const pace = new Pace(100, 0);
  let sent = 0;
  for (let now = 0; now <= 10_000; now++) {
    const room = pace.room(now);
    pace.take(room);
    sent += room;
  }
  assert.ok(sent >= 1004 && sent <= 1005, `${sent} in ten seconds`);
});

test('a message of several parts is paid for by those after it', () => {
  const pace = new Pace(10, 0);
  assert.equal(pace.room(0), 1);
  pace.take(5);
  assert.equal(pace.room(399), 0);
  assert.equal(pace.msUntilRoom(399), 101);
  assert.equal(pace.room(500), 1);
});

test('nodes share a configured rate, and get their part back when one leaves', () => {
  const pace = new Pace(100, 0);
  pace.take(5);
  pace.shareBy(() => {});
  pace.limitTo(25, 1000);
  assert.equal(pace.msUntilRoom(0), 40);
  pace.limitTo(100, 1000);
  assert.equal(pace.msUntilRoom(0), 10);
});

test('nothing is sent without a share, or after its time; it is asked for again', () => {
  const pace = new Pace(100, 0);
  let asked = 0;
  pace.shareBy(() => asked++);
  assert.deepEqual([pace.room(0), asked], [0, 1]);
  pace.limitTo(0, 1000);
  assert.deepEqual([pace.room(500), pace.msUntilRoom(500), asked], [0, Number.POSITIVE_INFINITY, 1]);
  pace.limitTo(50, 2000);
  assert.ok(pace.room(1000) >= 1);
  assert.deepEqual([pace.room(2000), asked], [0, 2]);
});

test('a node wants the whole rate when it was short of room, otherwise what it used and a little more', () => {
  const pace = new Pace(100, 0);
  pace.shareBy(() => {});
  pace.limitTo(100, 60_000);
  assert.equal(pace.wish(1000), 5);
  pace.room(1100);
  pace.take(2);
  assert.equal(pace.wish(2000), 8);
  pace.take(200);
  pace.room(2000);
  assert.equal(pace.wish(3000), 100);
});

/** Sends `rate` parts a second from `from` to `to`, each answered at once: so many of ten are refused. */
function send(pace: Pace, rate: number, from: number, to: number, refusedOfTen = 0): void {
  for (let part = 0; part < ((to - from) * rate) / 1000; part++) {
    const now = from + (part * 1000) / rate;
    if (part % 10 < refusedOfTen) pace.throttled(1, now, now, false);
    else pace.taken(1, now, now);
    pace.room(now);
  }
}

const near = (rate: number | null, expected: number) =>
  assert.ok(rate !== null && Math.abs(rate - expected) <= 0.02 * expected, `${rate}, not ${expected}`);

test('too many refusals in a second cut the rate to what was taken in it, after a trial with four fifths', () => {
  const pace = new Pace(0, 0);
  send(pace, 150, 0, 3000);
  assert.equal(pace.foundRate, null);
  send(pace, 150, 3000, 4010, 2);
  near(pace.foundRate, 0.8 * 120);
  assert.ok(pace.room(4010) < 10);
  send(pace, 96, 4010, 5600);
  near(pace.foundRate, 0.98 * 120);
});

test('what is refused in the trial as well is not about the rate', () => {
  const pace = new Pace(0, 0);
  send(pace, 150, 0, 1010, 3);
  near(pace.foundRate, 0.8 * 105);
  send(pace, 84, 1010, 2600, 3);
  near(pace.foundRate, 0.98 * 150);
  send(pace, 147, 2600, 4000, 3);
  near(pace.foundRate, 0.983 * 150);
});

test('more refused in the trial than before cuts the rate again', () => {
  const pace = new Pace(0, 0);
  send(pace, 200, 0, 1010, 2);
  near(pace.foundRate, 0.8 * 160);
  send(pace, 128, 1010, 2600, 5);
  near(pace.foundRate, 0.8 * 64);
});

test('refusals of parts that were on their way when the rate was cut count once', () => {
  const pace = new Pace(0, 0);
  send(pace, 100, 0, 1010, 2);
  const { foundRate } = pace;
  for (let now = 1010; now < 5000; now += 10) {
    pace.throttled(1, 1000, now, false);
    pace.room(now);
  }
  assert.equal(pace.foundRate, foundRate);
});

test('a carrier that asks for a pause as well has its rate halved, once while it takes nothing', () => {
  const pace = new Pace(0, 0);
  send(pace, 100, 0, 2000);
  pace.throttled(1, 2000, 2000, true);
  near(pace.foundRate, 50);
  pace.throttled(1, 3000, 3000, true);
  near(pace.foundRate, 50);
  pace.taken(1, 4000, 4000);
  pace.throttled(1, 4001, 4001, true);
  near(pace.foundRate, 25);
});

test('a carrier that takes nothing is sent less and less, and at least half of the rate when it takes again', () => {
  const pace = new Pace(0, 0);
  send(pace, 100, 0, 1010, 2);
  send(pace, 80, 1010, 2700);
  near(pace.foundRate, 0.98 * 80);
  const gaps: number[] = [];
  for (let now = 3000; gaps.length < 60; ) {
    pace.take(1);
    pace.throttled(1, now, now, false);
    const gap = Math.max(1, pace.msUntilRoom(now));
    gaps.push(gap);
    now += gap;
  }
  assert.ok((gaps[0] ?? 0) < 30 && gaps.at(-1) === 1000, `${gaps}`);
  pace.taken(1, 100_000, 100_000);
  near(pace.foundRate, (0.8 * 0.98 * 80) / 2);
  assert.ok(pace.msUntilRoom(100_000) <= 32);
});

test('a configured rate stays the upper bound of what is found', () => {
  const pace = new Pace(50, 0);
  send(pace, 100, 0, 1010, 1);
  assert.equal(pace.foundRate, null);
  pace.take(pace.room(2000));
  assert.equal(pace.msUntilRoom(2000), 10);
});

test('a stray refusal in a little traffic does not hold back a flood', () => {
  const pace = new Pace(0, 0);
  for (let now = 0; now < 60_000; now += 5000) {
    if (now === 30_000) pace.throttled(1, now, now, false);
    else pace.taken(1, now, now);
  }
  assert.equal(pace.foundRate, null);
});
