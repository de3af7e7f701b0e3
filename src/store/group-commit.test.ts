import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../platform/clock.ts';
import { GroupCommit } from './group-commit.ts';
import { StoreFault } from './store-fault.ts';

const TIMEOUT_MS = 1000;

/** A group of numbers whose commits end when the test says so, or at once. */
function groupOf(commit: (items: readonly number[]) => Promise<readonly string[]>, maxConcurrent = 1) {
  const clock = new ManualClock();
  const batches: number[][] = [];
  const group = new GroupCommit<number, string>({
    commit: items => {
      batches.push([...items]);
      return commit(items);
    },
    sizeOf: () => 1,
    maxSize: 1000,
    maxConcurrent,
    timeoutMs: TIMEOUT_MS,
    clock,
    onCommit: () => {},
  });
  return { group, clock, batches };
}

const named = async (items: readonly number[]) => items.map(String);
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(String, error => (error instanceof StoreFault ? error.outcome : `bug: ${error.message}`));

test('commits together what was added in one turn', async () => {
  const { group, batches } = groupOf(named);
  assert.deepEqual(await Promise.all([1, 2, 3].map(item => group.add(item))), ['1', '2', '3']);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('finds a bad item by halving, and commits all others', async () => {
  const { group, batches } = groupOf(async items => {
    if (items.includes(700)) throw new Error('a NUL');
    return named(items);
  });
  const items = Array.from({ length: 1000 }, (_, index) => index);
  const outcomes = await Promise.all(items.map(item => outcomeOf(group.add(item))));
  assert.deepEqual(
    outcomes,
    items.map(item => (item === 700 ? 'bug: a NUL' : String(item))),
  );
  assert.ok(batches.length <= 2 * Math.ceil(Math.log2(1000)) + 1, `${batches.length} commits`);
});

for (const outcome of ['didNotHappen', 'mayHaveHappened'] as const) {
  test(`reports a fault that ${outcome} to all items, and retries none`, async () => {
    const { group, batches } = groupOf(async () => {
      throw new StoreFault(outcome, 'away');
    });
    const outcomes = await Promise.all([1, 2, 3].map(item => outcomeOf(group.add(item))));
    assert.deepEqual(outcomes, [outcome, outcome, outcome]);
    assert.equal(batches.length, 1);
  });
}

test('does not commit again when the number of results is wrong', async () => {
  const { group, batches } = groupOf(async items => items.slice(1).map(String));
  const outcomes = await Promise.all([1, 2].map(item => outcomeOf(group.add(item))));
  assert.deepEqual(outcomes, ['mayHaveHappened', 'mayHaveHappened']);
  assert.deepEqual(batches, [[1, 2]]);
});

test('removes an item that waited too long: it certainly did not happen', async () => {
  const running = Promise.withResolvers<void>();
  const { group, clock, batches } = groupOf(items => running.promise.then(() => named(items)));
  const first = outcomeOf(group.add(1));
  await turn();
  clock.advance(TIMEOUT_MS / 2);
  const second = outcomeOf(group.add(2));
  clock.advance(TIMEOUT_MS / 2);
  assert.equal(await first, 'mayHaveHappened', 'its commit runs');
  const third = outcomeOf(group.add(3));
  clock.advance(TIMEOUT_MS / 2);
  assert.equal(await second, 'didNotHappen', 'it never began');
  running.resolve();
  assert.equal(await third, '3');
  await group.idle();
  assert.deepEqual(batches, [[1], [3]]);
});

test('knows when a commit has ended after its callers timed out', async () => {
  const running = Promise.withResolvers<void>();
  const { group, clock } = groupOf(items => running.promise.then(() => named(items)));
  const told = outcomeOf(group.add(1));
  await turn();
  clock.advance(TIMEOUT_MS);
  assert.equal(await told, 'mayHaveHappened');
  let isEnded = false;
  const ended = group.commitsEnded().then(() => {
    isEnded = true;
  });
  await turn();
  assert.equal(isEnded, false);
  running.resolve();
  await ended;
});
