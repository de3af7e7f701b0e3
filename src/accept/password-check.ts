/**
 * Whether a password is right, at a bounded cost and with bounded guessing.
 *
 *  1. A password that this process has verified, from an address of its owner, is recognised by a keyed digest: clients
 *     that ask for a token before every call cost little, and nobody's guesses can lock them out.
 *  2. Everybody else takes a place under the limits of address and account before anything is computed, and gets it back
 *     if the password was right. So guesses in parallel count like guesses one after the other.
 *  3. An address may guess at an account only so often, so that one alone cannot use up what the account has for strangers.
 *     Addresses that have not failed at the account have a limit of their own: whoever fails does not keep them out.
 *  4. The owner's addresses have one, too, for the time after a restart.
 *  5. The slow hash runs in a queue: few at once, so that the threads of the process stay free for other work.
 */
import { randomBytes } from 'node:crypto';
import type { Account } from '../domain/account/account.ts';
import { Problem } from '../domain/request/problem.ts';
import { addressBlock } from '../platform/address-block.ts';
import type { Clock } from '../platform/clock.ts';
import type { FairQueue } from '../platform/fair-queue.ts';
import { hmacSha256, sha256 } from '../platform/hashing.ts';
import type { Limiter } from '../platform/limiter.ts';
import { hashOfNoPassword, verifyPassword } from '../platform/password.ts';
import type { Rate } from '../platform/token-bucket.ts';
import type { KnownAddresses } from './known-addresses.ts';

export interface Guess {
  readonly account: Account | undefined;
  /** As the client gave it. */
  readonly id: string;
  readonly password: string;
  readonly address: string;
  /** False when the client has gone. */
  isWanted(): boolean;
}

export type CheckPassword = (guess: Guess) => Promise<Account | Problem>;

type Verdict = 'right' | 'wrong' | 'limited' | 'not checked';

/** Failures of one address at all accounts, and at one. */
const GUESSES_PER_ADDRESS: Rate = { ratePerSecond: 0.2, burst: 50 };
const GUESSES_PER_ADDRESS_AND_ACCOUNT: Rate = { ratePerSecond: 0.2, burst: 20 };
/** Failures at an account, of all addresses that have failed there before, and of all that have not: five of either at least. */
const GUESSES_PER_ACCOUNT: Rate = { ratePerSecond: 1, burst: 100 };
const FAILED_MS = 3_600_000;
/** Limit for all accounts together; the oldest are dropped. */
const MOST_FAILED = 20_000;

export function createPasswordCheck(deps: {
  readonly limiter: Limiter;
  readonly hashing: FairQueue;
  readonly addresses: KnownAddresses;
  readonly clock: Pick<Clock, 'monotonic'>;
}): CheckPassword {
  const { limiter, hashing, addresses, clock } = deps;
  /** Addresses that failed at an account, or are being checked: until when that counts. */
  const failed = new Map<string, number>();
  const digestKey = randomBytes(32);
  /** Per account: the stored hash that was verified, and a keyed digest of the password that it verified. */
  const verified = new Map<string, { readonly passwordHash: string; readonly digest: Buffer }>();
  /** Checks of the same password from the same address share one hash, such as those of a client with many workers. */
  const checks = new Map<string, { readonly guesses: Guess[]; readonly verdict: Promise<Verdict> }>();
  const hashOfUnknownAccount = hashOfNoPassword();

  return async guess => {
    const { account, id, password } = guess;
    // An unknown account costs the same time as a wrong password, and so cannot be distinguished from it.
    const passwordHash = account?.passwordHash ?? hashOfUnknownAccount;
    const block = addressBlock(guess.address);
    const digest = hmacSha256(digestKey, `${id}\n${password}`);
    const last = verified.get(id);
    const isVerified = last?.passwordHash === passwordHash && last.digest.equals(digest);
    if (account && isVerified && addresses.isKnownHere({ id, secretHash: passwordHash }, block))
      return account;

    const key = `${block} ${passwordHash} ${digest.toString('base64')}`;
    let check = checks.get(key);
    if (check) {
      check.guesses.push(guess);
    } else {
      const guesses = [guess];
      const verdict = judge({ guess, guesses, block, passwordHash, digest, isVerified });
      check = { guesses, verdict: verdict.finally(() => checks.delete(key)) };
      checks.set(key, check);
    }
    const verdict = await check.verdict;
    if (verdict === 'right' && account) return account;
    if (verdict === 'limited') return tooMany('Too many failed token requests: wait before trying again', 5);
    if (verdict === 'not checked') return tooMany('Too many passwords to check: try again', 1);
    return new Problem('A100');
  };

  async function judge(asked: {
    readonly guess: Guess;
    readonly guesses: readonly Guess[];
    readonly block: string;
    readonly passwordHash: string;
    readonly digest: Buffer;
    readonly isVerified: boolean;
  }): Promise<Verdict> {
    const { guess, guesses, block, passwordHash, digest, isVerified } = asked;
    const { id, password } = guess;
    const owner = { id, secretHash: passwordHash };
    const isOwners = await addresses.isKnown(owner, block);
    if (isOwners && isVerified) return 'right';
    // Once the process has verified the password, whatever has another digest is wrong, from the owner's address too.
    const mayBeOwner = isOwners && verified.get(id)?.passwordHash !== passwordHash;
    // An id may be as long as a header, and many are remembered.
    const place = sha256(`${block} ${id}`);
    const before = failed.get(place);
    const hasFailed = before !== undefined && clock.monotonic() < before;
    // From here on, so that of guesses in parallel one counts as the first.
    noteFailed(place);
    const forget = () => {
      if (!hasFailed) failed.delete(place);
    };
    let giveBack: (() => void) | undefined;
    try {
      giveBack =
        (await takePlace(
          [`address ${block}`, GUESSES_PER_ADDRESS],
          [`guess ${place}`, GUESSES_PER_ADDRESS_AND_ACCOUNT],
          [hasFailed ? `account ${id}` : `account without failures ${id}`, GUESSES_PER_ACCOUNT],
        )) ?? (mayBeOwner ? await takePlace([`owner ${place}`, GUESSES_PER_ADDRESS_AND_ACCOUNT]) : undefined);
    } finally {
      if (!giveBack) forget();
    }
    if (!giveBack) return 'limited';
    const isRight =
      isVerified ||
      (await hashing.run({
        key: block,
        isUrgent: isOwners,
        isWanted: () => guesses.some(one => one.isWanted()),
        work: () => verifyPassword(password, passwordHash),
      }));
    if (isRight === false) return 'wrong';
    // What was not computed tells nothing to whoever guesses.
    giveBack();
    forget();
    if (isRight === undefined) return 'not checked';
    failed.delete(place);
    verified.set(id, { passwordHash, digest });
    await addresses.remember(owner, block);
    return 'right';
  }

  function noteFailed(place: string): void {
    const oldest = failed.size >= MOST_FAILED ? failed.keys().next() : undefined;
    if (oldest && !oldest.done) failed.delete(oldest.value);
    failed.delete(place);
    failed.set(place, clock.monotonic() + FAILED_MS);
  }

  /** All or none. Returns how to give them back. */
  async function takePlace(
    ...limits: readonly (readonly [key: string, rate: Rate])[]
  ): Promise<(() => void) | undefined> {
    const taken: string[] = [];
    const giveBack = () => {
      for (const key of taken) limiter.giveBack(key);
    };
    try {
      for (const [key, rate] of limits) {
        if (await limiter.take(key, rate)) {
          giveBack();
          return undefined;
        }
        taken.push(key);
      }
      return giveBack;
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}

function tooMany(result: string, retryAfterSeconds: number): Problem {
  return new Problem('A020', result, { retryAfterSeconds });
}
