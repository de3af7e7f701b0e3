import assert from 'node:assert/strict';
import test from 'node:test';
import type { CarrierState } from '../carriers/carrier.ts';
import { ManualClock } from '../platform/clock.ts';
import { CarrierGate } from './carrier-gate.ts';

const REFUSED = 'messages are refused';

function gateWith(initial: CarrierState, now = 0) {
  let state = initial;
  const scene = { underWay: 0, submitted: 0, told: [] as string[] };
  const gate = new CarrierGate({
    status: () => ({ state, detail: 'its own', since: 0 }),
    underWay: () => scene.underWay,
    submitted: () => scene.submitted,
    changed: notice => scene.told.push(notice),
    now,
  });
  const failFive = (at: number) => {
    for (let count = 0; count < 5; count++) gate.notTaken(at, at, REFUSED);
  };
  return { gate, scene, failFive, become: (next: CarrierState) => (state = next) };
}

/** A moment by both clocks. */
function at(ms: number): ManualClock {
  const clock = new ManualClock(0);
  clock.advance(ms);
  return clock;
}

const ANY = Number.POSITIVE_INFINITY;

test('after an operator ends a rest, one message goes out, and a fault starts the next rest', () => {
  const { gate, failFive, scene } = gateWith('up');
  failFive(0);
  assert.equal(gate.room(100), 0);
  gate.endPause(100);
  assert.equal(gate.room(100), 1);
  gate.notTaken(100, 200, REFUSED);
  assert.deepEqual([gate.room(200), scene.told], [0, ['resting', 'resting']]);
});

test('sends while the carrier is up', () => {
  const { gate, become } = gateWith('up');
  assert.equal(gate.room(0), ANY);
  for (const state of ['connecting', 'slowed', 'down'] as const) {
    become(state);
    assert.equal(gate.room(0), 0, state);
  }
});

test('a lost link is waited for, and given up after five seconds', () => {
  const { gate, become } = gateWith('up');
  assert.equal(gate.isAvailable(1000), true);
  become('connecting');
  assert.equal(gate.isAvailable(1000), true);
  assert.equal(gate.isAvailable(5999), true);
  become('down');
  assert.equal(gate.isAvailable(6000), false);
});

test('the five seconds start when the link is lost, not when somebody asks', () => {
  const { gate, become } = gateWith('up');
  become('down');
  gate.statusChanged(3_600_000);
  assert.deepEqual([gate.isAvailable(3_604_999), gate.isAvailable(3_605_000)], [true, false]);
});

test('a link that was asked to slow down is still worth waiting for', () => {
  const { gate, failFive } = gateWith('slowed');
  assert.equal(gate.isAvailable(60_000), true);
  for (let count = 0; count < 20; count++) failFive(60_000);
  assert.equal(gate.isAvailable(60_000), true);
});

test('a lost link is one fault, however many submits were under way', () => {
  const { gate, failFive, become } = gateWith('up');
  for (let loss = 1; loss <= 4; loss++) {
    become('down');
    failFive(loss);
    become('up');
    assert.equal(gate.room(loss), ANY, `after ${loss}`);
  }
  become('down');
  failFive(5);
  become('up');
  assert.equal(gate.room(5), 0);
});

test('rests after five faults, then probes with one message; each failed probe makes the rest longer', () => {
  const { gate, scene, failFive } = gateWith('up');
  for (let count = 0; count < 4; count++) gate.notTaken(0, 0, REFUSED);
  assert.equal(gate.room(2), ANY);
  gate.notTaken(2, 2, REFUSED);
  assert.deepEqual(
    [gate.room(1001), gate.isAvailable(1001), gate.status(at(1001)).state],
    [0, false, 'down'],
  );
  assert.deepEqual([gate.room(1002), gate.isAvailable(1002)], [1, true]);
  scene.underWay = 1;
  assert.deepEqual([gate.room(1002), gate.isAvailable(1002)], [0, false]);
  scene.underWay = 0;
  gate.notTaken(1002, 1100, REFUSED);
  assert.deepEqual([gate.room(3099), gate.room(3100)], [0, 1]);
  gate.taken(3100);
  assert.deepEqual([gate.status(at(3100)).state, gate.isUp(3100)], ['up', true]);
  for (let count = 0; count < 4; count++) gate.taken(3100);
  assert.equal(gate.room(3100), ANY);
  failFive(3300);
  assert.equal(gate.room(4300), 1);
  assert.deepEqual(scene.told, ['resting', 'resting', 'recovered', 'resting']);
});

test('after the pause it waits for a message to try, and is down again only while one is tried or was not taken', () => {
  const { gate, scene, failFive, become } = gateWith('up');
  failFive(61_000);
  assert.deepEqual(gate.status(at(61_999)), { state: 'down', detail: REFUSED, since: 61_000 });
  assert.deepEqual(gate.status(at(62_000)), {
    state: 'waiting',
    detail: `the next message is a test, after: ${REFUSED}`,
    since: 61_000,
  });
  scene.submitted = 1;
  assert.equal(gate.status(at(62_100)).state, 'down');
  scene.submitted = 0;
  gate.notTaken(62_000, 62_200, REFUSED);
  assert.equal(gate.status(at(62_200)).state, 'down');
  gate.endPause(62_300);
  assert.equal(gate.status(at(62_300)).state, 'waiting');
  become('slowed');
  assert.equal(gate.status(at(62_300)).state, 'slowed');
  become('connecting');
  assert.equal(gate.status(at(62_300)).state, 'connecting');
});

test('after a rest each message that is taken makes room for one more, and a fault begins the next rest', () => {
  const { gate, scene, failFive } = gateWith('up');
  failFive(0);
  gate.taken(1000);
  assert.equal(gate.room(1001), 2);
  scene.underWay = 2;
  assert.deepEqual([gate.room(1001), gate.isAvailable(1001)], [0, false]);
  scene.underWay = 1;
  gate.taken(1001);
  assert.equal(gate.room(1002), 2);
  gate.notTaken(1001, 1002);
  assert.equal(gate.room(1002), 2, 'a refusal of the message alone');
  gate.notTaken(1001, 1002, REFUSED);
  scene.underWay = 0;
  assert.deepEqual([gate.room(3001), gate.room(3002)], [0, 1], 'twice as long');
});

test('a carrier that answers one submit of five rests, whatever the order of the answers', () => {
  const { gate } = gateWith('up');
  // Ten a second; what is taken is known at once, the rest after ten seconds.
  let submitted = 0;
  for (let now = 0; gate.room(now) > 0; now += 100) {
    assert.ok(now < 20_000, 'it is found');
    if (submitted++ % 5 === 4) gate.taken(now);
    if (now >= 10_000 && ((now - 10_000) / 100) % 5 !== 4) gate.notTaken(now - 10_000, now, REFUSED);
  }
});

test('one fault in three submits does not cause a rest', () => {
  const { gate, scene } = gateWith('up');
  for (let at = 0; at < 60_000; at += 1000) {
    gate.taken(at);
    gate.taken(at);
    gate.notTaken(at, at, REFUSED);
  }
  assert.deepEqual(scene.told, []);
});

for (const [what, taken, lost, rests] of [
  ['every third submit', 2, 1, true],
  ['a tenth of its submits', 10, 1, true],
  ['fewer than that', 11, 1, false],
  ['a window of ten after a hundred that were taken', 100, 10, true],
] as const) {
  test(`a link that is lost five times with ${what} unanswered ${rests ? 'rests' : 'does not rest'}, whatever is answered in between`, () => {
    const { gate, scene, become } = gateWith('up');
    for (let loss = 1; loss <= 5; loss++) {
      const at = loss * 100_000;
      assert.deepEqual([gate.room(at), scene.told], [ANY, []], `before ${loss}`);
      for (let count = 0; count < taken; count++) gate.taken(at);
      become('down');
      for (let count = 0; count < lost; count++) gate.lost(at, at, REFUSED);
      become('up');
    }
    assert.deepEqual(scene.told, rests ? ['resting'] : []);
  });
}

test('a short loss does not cause a rest if more was accepted since; a carrier that goes down still rests', () => {
  const { gate, failFive, scene } = gateWith('up');
  for (let at = 0; at < 10_000; at += 10) gate.taken(at);
  for (let count = 0; count < 50; count++) gate.notTaken(5000, 10_000, REFUSED);
  assert.deepEqual(scene.told, []);
  failFive(10_100);
  assert.equal(gate.room(10_100), 0);
});

test('what was submitted before a rest neither makes it longer nor ends it', () => {
  const { gate, failFive } = gateWith('up');
  failFive(1000);
  gate.taken(999);
  assert.equal(gate.room(1500), 0);
  gate.notTaken(999, 2500, REFUSED);
  assert.equal(gate.room(2500), 1);
});

test('many simultaneous answers that ask for a long pause cause one rest', () => {
  const { gate, scene } = gateWith('up');
  for (let now = 100; now < 120; now++) gate.askedToWait(3_600_000, 0, now);
  assert.deepEqual([scene.told, gate.room(3_600_099), gate.room(3_600_100)], [['resting'], 0, 1]);
  gate.askedToWait(3_600_000, 3_600_100, 3_600_200);
  assert.deepEqual([scene.told.length, gate.room(7_200_199)], [2, 0]);
});

test('a carrier that asks for a short pause is slowed: nothing goes out, and its messages wait for it', () => {
  const { gate, failFive, scene } = gateWith('up');
  gate.askedToWait(30_000, 1000, 1000);
  gate.askedToWait(10_000, 2000, 2000);
  assert.deepEqual([gate.room(30_999), gate.isAvailable(30_999)], [0, true]);
  const { state, since } = gate.status(at(30_999));
  assert.deepEqual([state, since], ['slowed', 1000]);
  failFive(2000);
  failFive(3000);
  assert.deepEqual(scene.told, [], 'meanwhile all faults are one');
  assert.deepEqual([gate.room(31_000), gate.status(at(31_000)).state], [ANY, 'up']);
  gate.askedToWait(30_000, 40_000, 40_000);
  gate.endPause(40_001);
  assert.equal(gate.room(40_001), ANY);
});

test('a carrier that refuses our account rests at once, and while it rests says nothing new', () => {
  const { gate, scene } = gateWith('up');
  gate.refused('our account is blocked', 0);
  gate.refused('our account is blocked', 500);
  assert.deepEqual([gate.room(999), gate.room(1000), scene.told], [0, 1, ['resting']]);
  assert.equal(gate.status(at(500)).detail, 'our account is blocked');
});

test('a carrier may have measures of its own', () => {
  const gate = new CarrierGate({
    ...{ status: () => ({ state: 'up', detail: '', since: 0 }), underWay: () => 0, submitted: () => 0 },
    ...{ changed: () => {}, now: 0, breaker: { failures: 2, pauseMs: 5000, longestPauseMs: 8000 } },
  });
  gate.notTaken(0, 0, REFUSED);
  assert.equal(gate.room(0), ANY);
  gate.notTaken(0, 0, REFUSED);
  assert.deepEqual([gate.room(4999), gate.room(5000)], [0, 1]);
  gate.notTaken(5000, 5000, REFUSED);
  assert.deepEqual([gate.room(12_999), gate.room(13_000)], [0, 1]);
});

test('a carrier that asks for more than a minute rests as long as it asked for', () => {
  const { gate, become } = gateWith('up');
  become('slowed');
  gate.askedToWait(60_000, 0, 0);
  assert.equal(gate.isAvailable(0), true);
  gate.askedToWait(3_600_000, 0, 0);
  assert.deepEqual([gate.isAvailable(3_599_999), gate.isAvailable(3_600_000)], [false, true]);
});

test('a carrier that accepts nothing for a minute rests until it accepts a message, whatever it answers', () => {
  const { gate, scene } = gateWith('up');
  gate.notTaken(0, 0);
  gate.taken(30_000);
  for (let at = 31_000; at < 91_000; at += 1000) gate.notTaken(at, at);
  assert.equal(gate.room(90_999), ANY);
  gate.notTaken(91_000, 91_000);
  assert.deepEqual([gate.isAvailable(91_000), gate.room(92_000)], [false, 1]);
  gate.notTaken(92_000, 92_500);
  assert.deepEqual([gate.room(94_499), gate.room(94_500)], [0, 1]);
  gate.taken(94_500);
  assert.deepEqual([gate.room(95_000), scene.told], [2, ['resting', 'resting', 'recovered']]);
});

test('refusals that are few, or hours apart, do not cause a rest', () => {
  const { gate, scene } = gateWith('up');
  for (const at of [0, 2000, 12_000, 72_000]) gate.notTaken(at, at);
  for (let hour = 1; hour < 20; hour++) gate.notTaken(hour * 7_200_000, hour * 7_200_000);
  assert.deepEqual(scene.told, []);
});

test('a paused carrier neither sends nor is waited for', () => {
  const { gate } = gateWith('up');
  gate.isPaused = true;
  assert.deepEqual([gate.room(0), gate.isAvailable(0)], [0, false]);
});

test('tells until when it rests, to the second', () => {
  const clock = new ManualClock(1_700_000_000_400);
  const { gate, failFive } = gateWith('up', clock.monotonic());
  assert.equal(gate.closedUntil(clock), null);
  failFive(clock.monotonic());
  assert.equal(gate.closedUntil(clock), 1_700_000_002_000);
  clock.advance(1000);
  assert.equal(gate.closedUntil(clock), null);
});
