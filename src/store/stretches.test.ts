import assert from 'node:assert/strict';
import test from 'node:test';
import { inStretches } from './stretches.ts';

/** Newest first, as lists are walked: three keys in a stretch, and of each only those that divide by `filter`. */
function walk(keys: number, filter: number, limit: number) {
  const read: number[][] = [];
  const from = (start: number) => Array.from({ length: start - 1 }, (_, index) => start - 1 - index);
  const found = inStretches(
    limit,
    keys + 1,
    start => from(start)[2],
    (start, end = 1, left) => {
      const stretch = from(start).filter(key => key >= end);
      read.push(stretch);
      return stretch
        .filter(key => key % filter === 0)
        .slice(0, left)
        .map(key => ({ key }));
    },
  );
  return found.then(rows => ({ keys: rows.map(({ key }) => key), read }));
}

test('what a filter leaves is found over all stretches, none of which is read twice', async () => {
  assert.deepEqual(await walk(8, 4, 10), {
    keys: [8, 4],
    read: [
      [8, 7, 6],
      [5, 4, 3],
      [2, 1],
    ],
  });
});

test('no more is read than is asked for', async () => {
  assert.deepEqual(await walk(8, 1, 2), { keys: [8, 7], read: [[8, 7, 6]] });
  assert.deepEqual((await walk(8, 1, 4)).keys, [8, 7, 6, 5]);
});

test('a list that ends with a stretch, or is empty, ends', async () => {
  assert.deepEqual((await walk(6, 7, 10)).read, [[6, 5, 4], [3, 2, 1], []]);
  assert.deepEqual(await walk(0, 1, 10), { keys: [], read: [[]] });
});
