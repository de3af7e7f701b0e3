import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { collect } from './garbage.ts';

test('what nobody refers to is collected, and the program has no way to do it', async () => {
  const dropped = new WeakRef({ of: 'a start' });
  // A WeakRef holds its target until the end of the job that made it.
  await nextTurn();
  collect();
  assert.equal(dropped.deref(), undefined);
  assert.equal('gc' in globalThis, false);
});

test('threads collect at the same time', async () => {
  const module = JSON.stringify(new URL('./garbage.ts', import.meta.url).href);
  const program = `import(${module}).then(({ collect }) => { for (let times = 0; times < 20; times++) collect(); });`;
  const threads = [1, 2, 3].map(() => new Worker(program, { eval: true }));
  assert.deepEqual(await Promise.all(threads.map(thread => once(thread, 'exit'))), [[0], [0], [0]]);
});
