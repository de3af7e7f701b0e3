import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import test from 'node:test';
import { lowerHelperThreads } from './helper-threads.ts';

test('helper threads give way, and the thread that answers does not', {
  skip: process.platform !== 'linux',
}, async () => {
  const own = getPriority();
  assert.ok((await lowerHelperThreads()) > 0);
  assert.equal(getPriority(), own);
});
