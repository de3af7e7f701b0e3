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
