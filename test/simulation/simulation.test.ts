/** A handful of seeds, so that the simulation itself stays sound; `npm run simulate` runs thousands. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BUGS, findBug, isBug, patchOf } from './find-bug.ts';
import { Simulation } from './run.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STEPS = Array.from({ length: 100 }, (_, step) => step);
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

test('steps that are left out change nothing in the others', async () => {
  const some = STEPS.filter(step => step % 3 === 0);
  const first = await simulation.run(4711, some);
  const second = await simulation.run(4711, some);
  assert.ok(first.messages > 0);
  assert.equal(second.hash, first.hash);
});

test('every old defect can still be brought back, and the page says what it is', () => {
  const page = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8');
  const patches = readdirSync(join(ROOT, 'test/simulation/bugs'));
  assert.deepEqual(
    patches.sort(),
    Object.keys(BUGS)
      .map(name => `${name}.patch`)
      .sort(),
  );
  for (const name of Object.keys(BUGS)) {
    assert.ok(isBug(name));
    execFileSync('git', ['apply', '--check', patchOf(name)], { cwd: ROOT });
    assert.ok(page.includes(`| \`${name}\` |`), name);
  }
});

test('an old defect that is brought back is found', async () => {
  assert.equal(await findBug('inbound-confirmed-early', '1-40', 250), 0);
});

// The store may do a send seconds after its caller gave up: it must go out before the world counts as at rest.
test('a world is at rest only when the store has done every call', async () => {
  const { violations } = await simulation.run(1, [], {
    before: world => {
      world.onHeldBack();
    },
  });
  assert.deepEqual(violations, ['it does not come to rest: 1 calls of the store']);
});

test('no rule is broken by the first seeds', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { violations } = await simulation.run(seed, STEPS);
    assert.deepEqual(violations, [], `npm run simulate -- --seed ${seed} --steps ${STEPS.length} --trace`);
  }
});
