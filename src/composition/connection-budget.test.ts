import assert from 'node:assert/strict';
import test from 'node:test';
import { connectionBudget } from './connection-budget.ts';

const BUDGETS: readonly (readonly [
  what: string,
  given: Parameters<typeof connectionBudget>,
  budget: readonly [maxConnections: number, mostPassedOn: number],
])[] = [
  ['few descriptors are shared', [1024, 1, undefined], [512, 128]],
  ['without threads nothing is passed on', [1024, 0, undefined], [768, 16]],
  ['of many, clients have 10,000', [20_000, 1, undefined], [10_000, 2_500]],
  ['without a limit every client may wait for the engine', [Infinity, 1, undefined], [10_000, 10_000]],
  ['a setting decides', [20_000, 1, 3_000], [3_000, 3_000]],
  ['a setting beyond the descriptors leaves a few', [1024, 1, 5_000], [5_000, 16]],
];

for (const [what, given, [maxConnections, mostPassedOn]] of BUDGETS) {
  test(what, () => assert.deepEqual(connectionBudget(...given), { maxConnections, mostPassedOn }));
}
