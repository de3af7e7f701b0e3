import assert from 'node:assert/strict';
import test from 'node:test';
import { recipientTurns } from './recipient-turns.ts';

test('ten recipients are checked in one turn of the event loop, also where several lists are checked side by side', async () => {
  const turns = recipientTurns();
  let turn = 0;
  let next = setImmediate(function count() {
    turn++;
    next = setImmediate(count);
  });
  const checked: number[] = [];
  const check = async (recipients: number) => {
    for (let index = 0; index < recipients; index++) {
      const othersTurn = turns();
      if (othersTurn) await othersTurn;
      checked[turn] = (checked[turn] ?? 0) + 1;
    }
  };
  await Promise.all([check(30), check(20)]);
  clearImmediate(next);
  assert.equal(
    checked.reduce((sum, count) => sum + count, 0),
    50,
  );
  // Both go on when the turn begins.
  assert.ok(Math.max(...checked.filter(Boolean)) <= 11, checked.join());
});
