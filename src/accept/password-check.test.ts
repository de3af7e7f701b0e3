import assert from 'node:assert/strict';
import test from 'node:test';
import { type Account, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account/account.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import { ManualClock } from '../platform/clock.ts';
import { FairQueue } from '../platform/fair-queue.ts';
import { hashPassword } from '../platform/password.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import { createPasswordCheck } from './password-check.ts';

const shop: Account = {
  id: 'shop' as AccountId,
  passwordHash: await hashPassword('right', { N: 2, r: 1, p: 1 }),
  blocked: false,
  tokenEpoch: 0,
  createdAt: 0,
  settings: DEFAULT_ACCOUNT_SETTINGS,
};

/** Hashing is held up until `release` is called. */
function open() {
  const hashing = new FairQueue({ atOnce: 1, waiting: 30 });
  const { promise, resolve: release } = Promise.withResolvers<void>();
  void hashing.run({ key: '', isUrgent: true, isWanted: () => true, work: () => promise });
  const addresses = { isKnownHere: () => false, isKnown: async () => false, remember: async () => {} };
  const clock = new ManualClock();
  const check = createPasswordCheck({ limiter: new RateLimiter(clock), hashing, addresses, clock });
  const ask = async (password: string, isWanted = () => true) => {
    const answer = await check({ account: shop, id: 'shop', password, address: '192.0.2.1', isWanted });
    return answer instanceof Problem ? answer.code : 'right';
  };
  return { release, ask, hashing };
}

test('a guess is neither checked nor counted when its client has gone', async () => {
  const { release, ask } = open();
  let isHere = true;
  const gone = Array.from({ length: 20 }, (_, index) => ask(`guess ${index}`, () => isHere));
  isHere = false;
  release();
  assert.deepEqual(new Set(await Promise.all(gone)), new Set(['A020']));
  const codes = await Promise.all(Array.from({ length: 21 }, (_, index) => ask(`later ${index}`)));
  assert.equal(codes.filter(code => code === 'A100').length, 20);
});

test('one hash serves all requests with the same password from the same address', async t => {
  const { release, ask, hashing } = open();
  const runs = t.mock.method(hashing, 'run');
  const waiting = Array.from({ length: 50 }, (_, index) => ask('right', () => index === 49));
  release();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['right']));
  assert.equal(runs.mock.callCount(), 1);
});
