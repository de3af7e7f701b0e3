import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '../../platform/clock.ts';
import { LostSessions } from './lost-sessions.ts';

/** A database in which the given sessions live until the test ends them. */
function sessionsOf(...names: string[]) {
  const alive = new Set(names);
  const committing: (() => void)[] = [];
  const clock = new ManualClock();
  const lost = new LostSessions({
    clock,
    ask: async (text, [asked = []]) => {
      const found = text.includes('pg_terminate_backend') ? [] : asked.filter(name => alive.has(name));
      const rows = found.map(name => ({ name, awaits_standby: false }));
      return Object.assign(rows, { count: rows.length });
    },
    commitNothing: () => new Promise(resolve => committing.push(resolve)),
  });
  return { alive, committing, clock, lost };
}

/** Whether it has happened when everything that can has. */
async function hasEnded(promise: Promise<void>): Promise<boolean> {
  let isOver = false;
  void promise.then(() => {
    isOver = true;
  });
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  return isOver;
}

test('a session has ended when the database no longer knows it and something was committed after that', async () => {
  const { alive, committing, clock, lost } = sessionsOf('first');
  lost.add('first');
  const ended = lost.ended();
  assert.equal(await hasEnded(ended), false);
  alive.clear();
  clock.advance(1000);
  assert.equal(await hasEnded(ended), false, 'before the commit');
  assert.equal(committing.length, 1);
  committing[0]?.();
  assert.equal(await hasEnded(ended), true);
});

test('a session that is lost while the end of another is confirmed is waited for, too', async () => {
  const { alive, committing, clock, lost } = sessionsOf('second');
  lost.add('first');
  const first = lost.ended();
  assert.equal(await hasEnded(first), false);
  assert.equal(committing.length, 1);

  lost.add('second');
  const second = lost.ended();
  committing[0]?.();
  assert.equal(await hasEnded(second), false, 'while it lives');

  alive.clear();
  clock.advance(1000);
  await hasEnded(second);
  committing[1]?.();
  assert.equal(await hasEnded(second), true);
  assert.equal(await hasEnded(first), true);
});
