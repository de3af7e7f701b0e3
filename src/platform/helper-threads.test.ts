import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import test from 'node:test';
import { lowerHelperThreads } from './helper-threads.ts';

test('helper threads of both kinds give way, and the thread that answers does not', {
  skip: process.platform !== 'linux',
}, async () => {
  const own = getPriority();
  const lowered = await lowerHelperThreads();
  const names = lowered.map(thread => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim());
  assert.deepEqual([...new Set(names)].sort(), ['V8Worker', 'libuv-worker']);
  for (const thread of lowered) assert.ok(getPriority(thread) >= 10);
  assert.equal(getPriority(), own);
});
