import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Pieces, TurnShare } from './pieces.ts';

/** A gate whose rests end when the test says so. */
function pieces() {
  const rests: (() => void)[] = [];
  const gate = new Pieces(() => () => new Promise(resolve => rests.push(resolve)));
  const rested = async () => {
    for (const end of rests.splice(0)) end();
    await nextTurn();
  };
  return { gate, rested };
}

test('one piece is done between two rests, and callers take turns', async () => {
  const { gate, rested } = pieces();
  const done: string[] = [];
  for (const caller of ['a', 'a', 'a', 'b', 'c']) void gate.do(caller, async () => void done.push(caller));
  await nextTurn();
  assert.deepEqual(done, ['a']);
  await rested();
  assert.deepEqual(done, ['a', 'a']);
  for (let count = 0; count < 3; count++) await rested();
  assert.deepEqual(done, ['a', 'a', 'b', 'c', 'a']);
});

test('a failed piece is reported, and the next one is done', async () => {
  const { gate, rested } = pieces();
  await assert.rejects(
    gate.do('a', () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  await rested();
  assert.equal(await gate.do('a', async () => 1), 1);
});

test('each yielded value is a piece, and stopping early ends the work', async () => {
  const gate = new Pieces(() => async () => {});
  let hasEnded = false;
  async function* work() {
    try {
      for (let count = 0; count < 100; count++) yield count;
    } finally {
      hasEnded = true;
    }
  }
  const seen: number[] = [];
  for await (const count of gate.each('a', work())) {
    seen.push(count);
    if (count === 2) break;
  }
  assert.deepEqual([seen, hasEnded], [[0, 1, 2], true]);
});

test('many small pieces are done in one turn, and a large one fills it', async () => {
  const share = new TurnShare(10);
  const gate = new Pieces(share.rest);
  const done: number[] = [];
  for (const [index, size] of [4, 4, 4, 25, 1].entries()) {
    void gate.do(String(index), async () => {
      share.count(size);
      done.push(size);
    });
  }
  const seen: number[] = [];
  while (done.length < 5) {
    await nextTurn();
    seen.push(done.length);
  }
  assert.deepEqual(seen, [3, 4, 5]);
});
