import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairCalls, type Room } from './fair-calls.ts';

function calls(room: Room) {
  const fair = new FairCalls(room);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (key: string, count = 1, bytes = 0) => {
    for (let n = 0; n < count; n++) {
      fair.enter(key, bytes, end => {
        begun.push(key);
        ends.push(end);
      });
    }
  };
  const turnsPass = async () => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  /** What has begun since the last time. */
  const taken = () => begun.splice(0).join('');
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { ask, taken, ends, endAll, turnsPass };
}

test('a limited number of calls starts in one turn of the event loop, and callers take turns', async () => {
  const { ask, taken } = calls({ most: 1000 });
  ask('a', 100);
  ask('b', 10);
  assert.equal(taken(), 'a'.repeat(32));
  await nextTurn();
  assert.equal(taken(), `${'ab'.repeat(10)}${'a'.repeat(12)}`);
});

test('a caller uses at most as many places as it leaves free', async () => {
  const { ask, taken, ends, endAll, turnsPass } = calls({ most: 12 });
  ask('a', 20);
  ask('b', 20);
  ask('c');
  await turnsPass();
  assert.equal(taken(), `${'a'.repeat(6)}bbbc`);
  ends[0]?.();
  // Each call ends once, however often that is said.
  ends[0]?.();
  await turnsPass();
  assert.equal(taken(), '', 'of twelve places three are free, and a has five');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'abababab');
});

test('a caller without calls in flight starts as long as one place is free', async () => {
  const { ask, taken, endAll, turnsPass } = calls({ most: 4 });
  for (const key of 'abcdefg') ask(key);
  assert.equal(taken(), 'abcd');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'efg');
});

test('a large body counts as many calls: one starts in a turn, and two are in flight', async () => {
  const { ask, taken, ends, turnsPass } = calls({ most: 128 });
  ask('a', 4, 148 * 1024);
  ask('b');
  const turns: string[] = [taken()];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    turns.push(taken());
  }
  assert.deepEqual(turns, ['a', 'a', 'b', '', '']);
  ends.shift()?.();
  await turnsPass();
  assert.equal(taken(), 'a');
});

test('the largest body starts although others send small calls without end', async () => {
  const { ask, taken, turnsPass } = calls({ most: 8 });
  ask('a', 10);
  ask('b', 10);
  await turnsPass();
  assert.equal(taken(), 'aaaabb');
  ask('c', 1, 1024 * 1024);
  await turnsPass();
  assert.equal(taken(), 'c');
});

test('a caller never exceeds its limit of calls', async () => {
  const { ask, taken, endAll, turnsPass } = calls({ most: 100, mostOfOne: 2 });
  ask('a', 5);
  ask('b');
  assert.equal(taken(), 'aab');
  endAll();
  await turnsPass();
  assert.equal(taken(), 'aa');
});

test('calls that end while they start do not block the turn of others', async () => {
  const fair = new FairCalls({ most: 4 });
  let begun = 0;
  for (let count = 0; count < 10_000; count++) {
    fair.enter('a', 0, end => {
      begun++;
      end();
    });
  }
  while (begun < 10_000) await nextTurn();
});
