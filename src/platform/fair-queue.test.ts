import assert from 'node:assert/strict';
import test from 'node:test';
import { FairQueue } from './fair-queue.ts';

/** Work that ends when told to, and a record of what was started. */
function bench(queue: FairQueue) {
  const started: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    refused,
    ask(name: string, options: { isUrgent?: boolean; isWanted?: () => boolean } = {}): void {
      const { isUrgent = false, isWanted = () => true } = options;
      const key = name.slice(0, 1);
      const work = () => {
        started.push(name);
        return new Promise<string>(resolve => ends.set(name, () => resolve(name)));
      };
      void queue.run({ key, isUrgent, isWanted, work }).then(result => {
        if (result === undefined) refused.push(name);
      });
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

test('does so many at once and no more', async () => {
  const { ask, end, started } = bench(new FairQueue({ atOnce: 2, waiting: 9 }));
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name);
  assert.deepEqual(started, ['a1', 'a2']);
  await end('a2');
  assert.deepEqual(started, ['a1', 'a2', 'a3']);
});

test('keys take turns, and urgent work goes first', async () => {
  const { ask, end, started } = bench(new FairQueue({ atOnce: 1, waiting: 9 }));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) ask(name);
  ask('c1', { isUrgent: true });
  for (const name of ['a1', 'c1', 'a2', 'b1', 'a3']) await end(name);
  assert.deepEqual(started, ['a1', 'c1', 'a2', 'b1', 'a3', 'a4']);
});

test('a full queue drops the last entry of the longest line, never a single entry', async () => {
  const { ask, refused } = bench(new FairQueue({ atOnce: 1, waiting: 3 }));
  for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) ask(name);
  await settled();
  assert.deepEqual(refused, ['a4']);
  ask('b1');
  ask('c1');
  ask('d1');
  await settled();
  assert.deepEqual(refused, ['a4', 'a3', 'a2', 'd1']);
});

test('abandoned work is not done and takes no place', async () => {
  const { ask, end, started, refused } = bench(new FairQueue({ atOnce: 1, waiting: 2 }));
  let isWanted = true;
  ask('a0');
  ask('a1', { isWanted: () => isWanted });
  ask('b1', { isWanted: () => isWanted });
  isWanted = false;
  ask('c1');
  await end('a0');
  assert.deepEqual(started, ['a0', 'c1']);
  assert.deepEqual(refused, ['a1', 'b1']);
});

test('work that fails makes room for the next', async () => {
  const queue = new FairQueue({ atOnce: 1, waiting: 2 });
  const asked = { key: 'a', isUrgent: false, isWanted: () => true };
  const failing = queue.run({ ...asked, work: () => Promise.reject(new Error('no')) });
  const next = queue.run({ ...asked, work: async () => 'done' });
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'done');
});

test('it pauses after work, and urgent work does not wait for the pause', async () => {
  const rests: (() => void)[] = [];
  const rest = () => () => new Promise<void>(resolve => rests.push(resolve));
  const { ask, end, started } = bench(new FairQueue({ atOnce: 1, waiting: 9, rest }));
  for (const name of ['a1', 'a2', 'a3']) ask(name);
  await end('a1');
  assert.deepEqual(started, ['a1']);
  ask('b1');
  ask('c1', { isUrgent: true });
  assert.deepEqual(started, ['a1', 'c1']);
  await end('c1');
  assert.deepEqual(started, ['a1', 'c1'], 'urgent work ends no rest of others');
  assert.equal(rests.length, 1, 'and needs none');
  rests[0]?.();
  await settled();
  assert.deepEqual(started, ['a1', 'c1', 'a2']);
});
