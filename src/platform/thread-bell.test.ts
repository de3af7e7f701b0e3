import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { ThreadBell } from './thread-bell.ts';

test('a thread that is at work hears the bell of another', async t => {
  const bell = new ThreadBell();
  assert.equal(bell.isRinging, false);
  const module = JSON.stringify(new URL('./thread-bell.ts', import.meta.url).href);
  const program = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${module}).then(({ ThreadBell }) => {
      parentPort.postMessage('begins');
      parentPort.once('message', () => new ThreadBell(workerData).ring());
    });`;
  const worker = new Worker(program, { eval: true, workerData: bell.memory });
  t.after(() => worker.terminate());
  await once(worker, 'message');
  worker.postMessage('ring');
  // This thread takes no messages meanwhile.
  while (!bell.isRinging);
  bell.silence();
  assert.equal(bell.isRinging, false);
});
