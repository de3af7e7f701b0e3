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

/** Sends `rate` parts a second from `from` to `to`, each answered at once. */
function send(pace: Pace, rate: number, from: number, to: number): void {
  for (let now = from; now < to; now += 1000 / rate) pace.taken(1, now, now);
}

test('the first throttling starts the rate at what was taken in the last second', () => {
  const pace = new Pace(0, 0);
  send(pace, 150, 0, 3000);
  assert.equal(pace.foundRate, null);
  pace.throttled(1, 3000, 3000, false);
  const { foundRate } = pace;
  assert.ok(foundRate !== null && foundRate > 135 && foundRate < 150, `${foundRate}`);
  assert.ok(pace.room(3000) < 10);
});

test('refusals of parts that were on their way when the rate was cut count once', () => {
  const pace = new Pace(0, 0);
  send(pace, 100, 0, 2000);
  pace.throttled(1, 1990, 2000, false);
  const { foundRate } = pace;
  for (let now = 2000; now < 5000; now += 10) pace.throttled(1, 1990, now, false);
  assert.equal(pace.foundRate, foundRate);
});

test('a carrier that asks for a pause as well has its rate halved', () => {
  const pace = new Pace(0, 0);
  send(pace, 100, 0, 2000);
  pace.throttled(1, 2000, 2000, true);
  const { foundRate } = pace;
  assert.ok(foundRate !== null && foundRate > 45 && foundRate <= 50.5, `${foundRate}`);
  send(pace, 50, 2000, 4000);
  pace.throttled(1, 4000, 4000, true);
  assert.equal(pace.foundRate, foundRate / 2);
});

test('a configured rate stays the upper bound of what is found', () => {
  const pace = new Pace(50, 0);
  send(pace, 100, 0, 2000);
  pace.throttled(1, 2000, 2000, false);
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
