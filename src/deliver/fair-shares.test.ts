import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../domain/ids.ts';
import { FairShares } from './fair-shares.ts';

const waiting = (...accounts: string[]) => accounts.map(account => account as AccountId);
const sharesOf = (shares: FairShares, accounts: readonly string[], limit: number, now = 0) =>
  Object.fromEntries(
    shares.share(waiting(...accounts), limit, now).map(({ account, limit: n }) => [account, n]),
  );

test('one account alone gets everything', () => {
  assert.deepEqual(sharesOf(new FairShares(), ['a'], 500), { a: 500 });
});

test('accounts that were served alike share alike, to the last step', () => {
  assert.deepEqual(sharesOf(new FairShares(), ['a', 'b', 'c'], 10), { a: 4, b: 3, c: 3 });
});

test('whoever was served least goes first, until all are level', () => {
  const shares = new FairShares();
  shares.charge('flood' as AccountId, 100, 0);
  shares.charge('steady' as AccountId, 4, 0);
  assert.deepEqual(sharesOf(shares, ['flood', 'steady', 'new'], 1), { new: 1 });
  assert.deepEqual(sharesOf(shares, ['flood', 'steady', 'new'], 10), { new: 7, steady: 3 });
});

test('what was served is forgotten by half in ten seconds', () => {
  const shares = new FairShares();
  const account = 'a' as AccountId;
  shares.charge(account, 8, 0);
  assert.equal(shares.servedTo(account, 10_000), 4);
  shares.charge(account, 4, 10_000);
  assert.equal(shares.servedTo(account, 20_000), 4);
});

test('under a flood, an account below its fair share never waits for the flood', () => {
  const shares = new FairShares();
  let waitedBehindFlood = 0;
  for (let slot = 0; slot < 1000; slot++) {
    const isSmallWaiting = slot % 4 === 3;
    const accounts = isSmallWaiting ? ['flood', 'small'] : ['flood'];
    const [first] = shares.share(waiting(...accounts), 1, slot * 10);
    assert.ok(first);
    shares.charge(first.account, 1, slot * 10);
    if (isSmallWaiting && first.account !== 'small') waitedBehindFlood++;
  }
  assert.equal(waitedBehindFlood, 0);
});
