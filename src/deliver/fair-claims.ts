/** What a lane claims: due steps of its carrier, a fair share of them for each account (fair-shares.ts). */
import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import type { Claims } from './claims.ts';
import { FairShares } from './fair-shares.ts';

/** Accounts that one claim divides its steps between; with more, the next claim goes on after them. */
const MOST_ACCOUNTS = 500;

export class FairClaims {
  readonly #carrier: string;
  readonly #store: Pick<Store, 'queue'>;
  readonly #claims: Claims;
  readonly #clock: Clock;
  readonly #shares = new FairShares();
  /** The last account of the claim before; undefined where the next begins with the first account. */
  #after: AccountId | undefined;

  constructor(deps: {
    readonly carrier: string;
    readonly store: Pick<Store, 'queue'>;
    readonly claims: Claims;
    readonly clock: Clock;
  }) {
    this.#carrier = deps.carrier;
    this.#store = deps.store;
    this.#claims = deps.claims;
    this.#clock = deps.clock;
  }

  /** At most `limit` steps; none where nothing is due. */
  async claim(limit: number): Promise<LiveStep[]> {
    const now = this.#clock.now();
    const carrier = this.#carrier;
    const ready = await this.#store.queue.readyAccounts({
      carrier,
      after: this.#after,
      limit: MOST_ACCOUNTS,
    });
    const isFromFirst = this.#after === undefined;
    this.#after = ready.length === MOST_ACCOUNTS ? ready.at(-1) : undefined;
    const shares = this.#shares.share(ready, limit, this.#clock.monotonic());
    const claimed = shares.length > 0 ? await this.#claims.claim({ carrier, shares, now }) : [];
    // After the last account it begins again with the first, without a rest in between.
    return claimed.length > 0 || isFromFirst ? claimed : this.claim(limit);
  }

  /** An account was served. */
  charge(account: AccountId, parts: number, now: number): void {
    this.#shares.charge(account, parts, now);
  }
}
