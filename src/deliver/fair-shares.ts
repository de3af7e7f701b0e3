/**
 * How a lane is shared between accounts: the one served least lately goes first, until all are level.
 *
 * An account below its fair share never waits for one above it, so a flood delays others by no more than the message that
 * is just being sent. The count of an account halves every ten seconds: a pause earns no credit for a flood later. `now`
 * is always a reading of the monotonic clock.
 */
import type { AccountId } from '../domain/ids.ts';
import type { Share } from '../store/store.ts';

const HALF_LIFE_MS = 10_000;
const MOST_REMEMBERED = 10_000;

export class FairShares {
  readonly #served = new Map<AccountId, { parts: number; at: number }>();

  charge(account: AccountId, parts: number, now: number): void {
    const before = this.servedTo(account, now);
    if (this.#served.size >= MOST_REMEMBERED && !this.#served.has(account)) this.#forgetOldest();
    // Taken out and put back, so that the first in the map is the one not served for longest.
    this.#served.delete(account);
    this.#served.set(account, { parts: before + parts, at: now });
  }

  servedTo(account: AccountId, now: number): number {
    const served = this.#served.get(account);
    return served ? served.parts * 2 ** ((served.at - now) / HALF_LIFE_MS) : 0;
  }

  /** Divides `limit` steps between the accounts that wait. */
  share(waiting: readonly AccountId[], limit: number, now: number): Share[] {
    const [only] = waiting;
    if (only !== undefined && waiting.length === 1) return [{ account: only, limit }];
    const byNeed = waiting
      .map(account => ({ account, served: this.servedTo(account, now) }))
      .sort((a, b) => a.served - b.served);
    const level = levelOf(
      byNeed.map(({ served }) => served),
      limit,
    );
    let left = limit;
    const shares = byNeed.map(({ account, served }) => {
      const share = Math.min(left, Math.max(0, Math.floor(level - served)));
      left -= share;
      return { account, limit: share };
    });
    // What rounding left over goes to those with the greatest need.
    for (const [index, share] of shares.entries()) {
      if (left === 0) break;
      shares[index] = { ...share, limit: share.limit + 1 };
      left--;
    }
    return shares.filter(share => share.limit > 0);
  }

  #forgetOldest(): void {
    const oldest = this.#served.keys().next();
    if (!oldest.done) this.#served.delete(oldest.value);
  }
}

/** How high `amount` fills vessels that already hold `levels`, given in ascending order. */
function levelOf(levels: readonly number[], amount: number): number {
  let sum = amount;
  for (const [index, level] of levels.entries()) {
    sum += level;
    const filled = sum / (index + 1);
    const next = levels[index + 1];
    if (next === undefined || filled <= next) return filled;
  }
  return amount;
}
