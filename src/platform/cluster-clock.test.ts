import assert from 'node:assert/strict';
import test from 'node:test';
import { koreanSentence } from '../domain/korean/korean.ts';
import { ManualClock } from './clock.ts';
import { ClusterClock, whenTrusted } from './cluster-clock.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 5, 3);

/** A machine with a database on another; both have the same time at first. */
async function twoMachines() {
  const own = new ManualClock(START);
  const database = new ManualClock(START);
  const clock = new ClusterClock(own);
  const look = () => clock.synchronize(async () => database.now());
  await look();
  /** Time passes, and the node asks every second. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += SECOND) {
      for (const each of [own, database]) each.advance(Math.min(SECOND, ms - passed));
      await look();
    }
  };
  return { own, database, clock, look, pass };
}

function assertDoubt(clock: ClusterClock, says: RegExp): void {
  assert.match(clock.doubt ?? '', says);
  assert.ok(koreanSentence(clock.doubt ?? ''), clock.doubt);
  assert.equal(clock.trusted(), undefined);
}

test('the time is that of the database, whatever the clock of the machine says', async () => {
  const { own, clock, pass } = await twoMachines();
  own.setWallBy(98 * HOUR);
  assert.equal(clock.now(), START);
  await pass(90 * SECOND);
  assert.equal(clock.now(), START + 90 * SECOND);
  assert.equal(clock.skewMs, 98 * HOUR);
});

test('a machine whose clock is off by more than a minute trusts nothing until it has agreed with the database for a minute', async () => {
  for (const [jumpMs, says] of [
    [98 * HOUR, /^the clock of this machine is 98 h ahead of the clock of the database$/],
    [-61 * SECOND, /^the clock of this machine is 61 s behind the clock of the database$/],
  ] as const) {
    const { own, clock, pass } = await twoMachines();
    own.setWallBy(jumpMs);
    assertDoubt(clock, says);
    await pass(HOUR);
    assertDoubt(clock, says);
    own.setWallBy(-jumpMs);
    await pass(59 * SECOND);
    assertDoubt(clock, says);
    await pass(2 * SECOND);
    assert.equal(clock.trusted(), clock.now());
  }
});

test('clocks that differ by seconds are trusted', async () => {
  const { own, clock } = await twoMachines();
  own.setWallBy(-15 * SECOND);
  assert.equal(clock.trusted(), START);
});

test('the clock of another primary counts at once, and is trusted if it differs by less than a minute', async () => {
  const { database, clock, look, pass } = await twoMachines();
  database.setWallBy(-20 * SECOND);
  await look();
  assert.equal(clock.trusted(), START - 20 * SECOND);
  database.setWallBy(98 * HOUR);
  await look();
  assert.equal(clock.now(), START + 98 * HOUR - 20 * SECOND);
  assertDoubt(clock, /^the clock of this machine is 97 h behind/);
  database.setWallBy(-98 * HOUR);
  await pass(2 * MINUTE);
  assertDoubt(clock, /^the clock of the database was set back by 98 h$/);
  await pass(9 * MINUTE);
  assert.equal(clock.trusted(), clock.now());
});

test('machine and database may be one: what was set for both is in doubt for ten minutes', async () => {
  const { own, database, clock, pass } = await twoMachines();
  for (const each of [own, database]) each.setWallBy(98 * HOUR);
  await pass(5 * MINUTE);
  assertDoubt(clock, /^the clock of the database was set ahead by 98 h$/);
  await pass(6 * MINUTE);
  assert.equal(clock.trusted(), clock.now());
});

test('a late answer corrects the time only as far as it proves it wrong', async () => {
  const { own, database, clock } = await twoMachines();
  const stalled = async (beforeMs: number, afterMs: number) => {
    await clock.synchronize(async () => {
      for (const each of [own, database]) each.advance(beforeMs);
      const time = database.now();
      for (const each of [own, database]) each.advance(afterMs);
      return time;
    });
  };
  await stalled(30 * SECOND, 0);
  assert.equal(clock.now(), database.now());
  await stalled(0, 30 * SECOND);
  assert.equal(clock.now(), database.now());
  database.setWallBy(-40 * SECOND);
  await stalled(30 * SECOND, 0);
  assert.equal(clock.now() - database.now(), 30 * SECOND, 'at least ten seconds are certain');
});

test('without a database, a clock that was set is in doubt until it has been steady for ten minutes', () => {
  const own = new ManualClock(START);
  const clock = new ClusterClock(own);
  own.setWallBy(98 * HOUR);
  assertDoubt(clock, /^the clock was set ahead by 98 h$/);
  own.advance(70 * SECOND);
  own.setWallBy(-98 * HOUR);
  assertDoubt(clock, /^the clock was set back by 98 h$/);
  own.advance(9 * MINUTE);
  assertDoubt(clock, /set back/);
  own.advance(MINUTE);
  assert.equal(clock.trusted(), own.now());
  own.setWallBy(59 * SECOND);
  assert.equal(clock.trusted(), own.now());
});

test('a laptop that slept goes on at once', async () => {
  const own = new ManualClock(START);
  const clock = new ClusterClock(own);
  own.advance(MINUTE);
  own.sleep(8 * HOUR);
  assert.equal(clock.trusted(), START + MINUTE + 8 * HOUR);
  const node = await twoMachines();
  node.own.sleep(8 * HOUR);
  node.database.advance(8 * HOUR);
  await node.look();
  assert.equal(node.clock.trusted(), node.database.now());
});

test('at the start the newest row says whether the clock can be right', () => {
  for (const [ageMs, says] of [
    [undefined, undefined],
    [30 * MINUTE, undefined],
    [-30 * SECOND, undefined],
    [98 * HOUR, /^the newest message in the store is 98 h old, or the clock is ahead$/],
    [-98 * HOUR, /^the newest message in the store is 98 h ahead of the clock$/],
  ] as const) {
    const own = new ManualClock(START);
    const clock = new ClusterClock(own);
    clock.startAfter(ageMs === undefined ? undefined : START - ageMs);
    if (says) assertDoubt(clock, says);
    own.advance(says ? 10 * MINUTE : 0);
    assert.equal(clock.trusted(), own.now());
  }
});

test('a task that needs the time is left out while it is in doubt', async () => {
  const own = new ManualClock(START);
  const ran: number[] = [];
  const task = whenTrusted(new ClusterClock(own), async now => void ran.push(now));
  await task();
  own.setWallBy(HOUR);
  await task();
  own.advance(10 * MINUTE);
  await task();
  assert.deepEqual(ran, [START, START + HOUR + 10 * MINUTE]);
});
