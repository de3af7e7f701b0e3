import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from './clock.ts';
import { type Company, FairTurns } from './fair-turns.ts';

const RULES = { onNextTurn: setImmediate, mostAlone: 64 };

function turns() {
  const clock = new ManualClock();
  const fair = new FairTurns(clock, RULES);
  const begun: string[] = [];
  const ask = (key: string, count = 1) => {
    for (let n = 0; n < count; n++) fair.enter(key, () => begun.push(key));
  };
  /** What has begun since the last time. */
  const taken = () => begun.splice(0).join('');
  return { clock, ask, taken };
}

test('who asks alone begins many a turn', async () => {
  const { ask, taken } = turns();
  ask('a', 100);
  assert.equal(taken().length, 65);
  await nextTurn();
  assert.equal(taken().length, 35);
});

test('while others ask, who asks often begins a few a turn, and the others at once', async () => {
  const { ask, taken } = turns();
  ask('c');
  ask('b');
  ask('a', 20);
  assert.equal(taken(), `cb${'a'.repeat(9)}`, 'the first of each, and eight more');
  ask('b');
  assert.equal(taken(), '', 'b has had its first in this turn, and the turn is full');
  await nextTurn();
  assert.equal(taken(), 'abaaaaaa');
  ask('b');
  assert.equal(taken(), 'b', 'at once, although others wait');
  await nextTurn();
  assert.equal(taken(), 'aaaa');
});

test('lines take turns, whatever their length', async () => {
  const { ask, taken } = turns();
  ask('c');
  ask('a', 100);
  ask('b', 100);
  taken();
  await nextTurn();
  assert.equal(taken(), 'abababab');
});

test('what goes another way by the time of its turn takes none from those behind it', async () => {
  const fair = new FairTurns(new ManualClock(), { onNextTurn: setImmediate, mostAlone: 2 });
  const begun: number[] = [];
  const elsewhere: number[] = [];
  for (let n = 0; n < 3000; n++) {
    const goesElsewhere = () => n < 2000 && elsewhere.push(n) > 0;
    fair.enter('a', () => begun.push(n), goesElsewhere);
  }
  assert.deepEqual(begun, [0, 1, 2], 'whoever does not wait is not asked');
  await nextTurn();
  assert.ok(elsewhere.length > 100 && elsewhere.length < 1000, 'many, but not all: that would take long');
  assert.equal(begun.length, 3);
  while (begun.length === 3) await nextTurn();
  assert.equal(elsewhere.length, 1997);
  assert.deepEqual(begun.slice(3), [2000, 2001]);
});

test('what is begun in a turn may ask again', async () => {
  const clock = new ManualClock();
  const fair = new FairTurns(clock, RULES);
  let count = 0;
  const again = () => {
    if (++count < 50) fair.enter('a', again);
  };
  fair.enter('b', () => {});
  fair.enter('a', again);
  while (count < 50) await nextTurn();
});

test('who has been silent for a second counts no more', () => {
  const { clock, ask, taken } = turns();
  ask('b');
  clock.advance(1000);
  ask('a', 50);
  assert.equal(taken().length, 51);
});

test('a long turn lets more begin in the next', async () => {
  const { clock, ask, taken } = turns();
  ask('b');
  ask('a', 100);
  clock.advance(24);
  taken();
  await nextTurn();
  assert.equal(taken().length, 12);
});

/** Work that somebody else does, and ends when it is told to. */
function turnsOfWork(
  limits: Readonly<Record<Company, number>> = { none: 6, busy: 4, quiet: 2 },
  mostInAll?: number,
) {
  const clock = new ManualClock();
  const mostUnderWay = (company: Company) => limits[company];
  const fair = new FairTurns(clock, { ...RULES, mostUnderWay, ...(mostInAll && { mostInAll }) });
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const ask = (key: string, count = 1) => {
    for (let n = 0; n < count; n++) {
      fair.enter(key, end => {
        begun.push(key);
        ends.push(end);
      });
    }
  };
  const turnsPass = async () => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  /** What has begun since the last time, in the order of the alphabet. */
  const taken = () => begun.splice(0).sort().join('');
  return { clock, ask, taken, ends, endAll, turnsPass };
}

test('where others do the work, who asks often has a few things under way', async () => {
  const { clock, ask, taken, ends, endAll, turnsPass } = turnsOfWork();
  ask('a', 20);
  await turnsPass();
  assert.equal(taken(), 'aaaaaa', 'alone');
  ask('b');
  assert.equal(taken(), 'b', 'at once');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aa');
  ends.shift()?.();
  await turnsPass();
  assert.equal(taken(), 'a', 'one for each that ends');
  clock.advance(200);
  await turnsPass();
  assert.equal(taken(), 'aa', 'what takes too long counts no more');
  assert.equal(ends.length, 4);
});

test('who waits in a line is not forgotten, however long he has been silent', async () => {
  const { clock, ask, taken, endAll, turnsPass } = turnsOfWork();
  ask('b');
  ask('a', 40);
  for (let time = 0; time < 4; time++) {
    clock.advance(400);
    endAll();
    await turnsPass();
  }
  taken();
  ask('b');
  assert.equal(taken(), 'b', 'at once');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aa', 'as few as while both ask');
});

test('who waits because a turn is full, and has little under way, still asks seldom', async () => {
  const { ask, taken, turnsPass } = turnsOfWork({ none: 60, busy: 40, quiet: 20 });
  ask('b');
  ask('a', 60);
  ask('b');
  assert.equal(taken(), `${'a'.repeat(9)}b`, 'the turn is full');
  await turnsPass();
  assert.equal(taken(), `${'a'.repeat(11)}b`, 'twenty of a in all');
});

test('where others do the work and all ask often, each has more under way, until somebody asks seldom', async () => {
  const { clock, ask, taken, endAll, turnsPass } = turnsOfWork();
  ask('a', 40);
  ask('b', 40);
  await turnsPass();
  taken();
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aaaabbbb', 'both have to wait');
  ask('c');
  assert.equal(taken(), 'c', 'at once');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aabb', 'c may come again');
  for (let time = 0; time < 2; time++) {
    clock.advance(500);
    ask('a');
    ask('b');
  }
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aaaabbbb', 'c did not');
});

const EACH_60 = { none: 60, busy: 60, quiet: 60 };

test('each has as many places as it leaves free, so that nobody fills them alone', async () => {
  const { clock, ask, taken, ends, endAll, turnsPass } = turnsOfWork(EACH_60, 12);
  ask('a', 20);
  await turnsPass();
  assert.equal(taken(), 'aaaaaa');
  ask('b', 20);
  await turnsPass();
  assert.equal(taken(), 'bbb');
  ask('c');
  assert.equal(taken(), 'c', 'at once');
  for (let time = 0; time < 5; time++) {
    clock.advance(1000);
    ask('b');
    await turnsPass();
  }
  assert.equal(taken(), '', 'however long they take, and however often or seldom he asks');
  ends[0]?.();
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aaaabbbb', 'each place is free once, however often that is said');
});

test('who waits for a place begins when somebody else gives one back', async () => {
  const { ask, taken, endAll, turnsPass } = turnsOfWork(EACH_60, 2);
  for (const key of ['a', 'b', 'c']) ask(key);
  await turnsPass();
  assert.equal(taken(), 'ab');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'c');
});
