/** A handful of seeds, so that the simulation itself stays sound; `npm run simulate` runs thousands. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Simulation } from './run.ts';

const STEPS = 120;
const simulation = new Simulation();
after(() => simulation.close());

test('a seed goes the same way twice', async () => {
  const first = await simulation.run(4711, STEPS);
  const second = await simulation.run(4711, STEPS);
  assert.ok(first.messages > 0);
  assert.equal(second.hash, first.hash);
});

test('another seed goes another way', async () => {
  const one = await simulation.run(1, STEPS);
  const other = await simulation.run(2, STEPS);
  assert.notEqual(one.hash, other.hash);
});

test('no rule is broken by the first seeds', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { violations } = await simulation.run(seed, STEPS);
    assert.deepEqual(violations, [], `npm run simulate -- --seed ${seed} --steps ${STEPS} --trace`);
  }
});
