import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../domain/ids.ts';
import { ManualClock } from '../platform/clock.ts';
import { createMoveStrandedSteps } from './stranded-steps.ts';

test('each round goes on after the last account of the one before, and begins again after the last of all', async () => {
  const accounts = Array.from({ length: 250 }, (_, index) => `shop-${1000 + index}` as AccountId);
  const rounds: AccountId[][] = [];
  const moveStrandedSteps = createMoveStrandedSteps({
    store: {
      queue: {
        carriers: async () => ['gone'],
        readyAccounts: async ({ after = '', limit }) =>
          accounts.filter(account => account > after).slice(0, limit),
      },
    },
    claims: {
      // Nothing of any account can be moved.
      claim: async ({ shares }) => {
        rounds.push(shares.map(({ account }) => account));
        return [];
      },
      abandon() {},
    },
    cluster: { isMember: true, isUnserved: () => true, isUnroutedElsewhere: () => true },
    settle: () => assert.fail('there is nothing to settle'),
    clock: new ManualClock(),
    route: () => assert.fail('there is nothing to route'),
    network: () => assert.fail('the carrier is gone'),
    hasLane: () => false,
    isAvailable: () => false,
  });
  for (let round = 0; round < 4; round++) await moveStrandedSteps();
  assert.deepEqual(rounds.slice(0, 3).flat(), accounts);
  assert.deepEqual(rounds[3], rounds[0]);
});
