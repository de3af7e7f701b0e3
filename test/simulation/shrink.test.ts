import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shrink } from './shrink.ts';

const STEPS = Array.from({ length: 250 }, (_, step) => step);

test('only the steps that a failure needs are left', async () => {
  const needed = [3, 70, 71, 249];
  const left = await shrink(STEPS, async steps => needed.every(step => steps.includes(step)));
  assert.deepEqual(left, needed);
});

test('a failure that needs no step is shrunk to none', async () => {
  assert.deepEqual(await shrink(STEPS, async () => true), []);
});

test('a failure that needs all its steps keeps them, after a bounded search', async () => {
  let tries = 0;
  const left = await shrink(STEPS, async () => {
    tries++;
    return false;
  });
  assert.deepEqual(left, STEPS);
  assert.ok(tries <= 500);
});
