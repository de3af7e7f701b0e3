import assert from 'node:assert/strict';
import test from 'node:test';
import { runSweeps } from './sweeps.ts';

test('a part of a sweep that fails does not end the others, which go on until nothing is left', async () => {
  const left = { tokens: 3, keys: 1 };
  const failures: string[] = [];
  const order: string[] = [];
  const sweep = (name: keyof typeof left) => async () => {
    order.push(name);
    return --left[name] > 0;
  };
  await runSweeps(
    {
      tokens: sweep('tokens'),
      partitions: () => Promise.reject(new Error('too slow')),
      keys: sweep('keys'),
    },
    (name, error) => failures.push(`${name}: ${error instanceof Error && error.message}`),
  );
  assert.deepEqual(failures, ['partitions: too slow']);
  assert.deepEqual(order, ['tokens', 'keys', 'tokens', 'tokens']);
});
