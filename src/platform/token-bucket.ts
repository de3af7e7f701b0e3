/**
 * So many tokens a second on average, and no more than `burst` at once.
 *
 * The rate comes with each call, because it may change at any time. `now` is always a reading of the monotonic clock.
 */
export interface Rate {
  /** Infinity means no limit. */
  readonly ratePerSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  #tokens: number;
  #filledAt: number;

  /** A new bucket is full. */
  constructor({ burst }: Rate, now: number) {
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** Tokens that can be taken now; below zero after more was taken than there was. */
  fill({ ratePerSecond, burst }: Rate, now: number): number {
    if (ratePerSecond === Number.POSITIVE_INFINITY) {
      this.#tokens = ratePerSecond;
    } else {
      const gained = (Math.max(0, now - this.#filledAt) / 1000) * ratePerSecond;
      // Where a time without a limit ends, the bucket starts empty.
      const before = this.#tokens === Number.POSITIVE_INFINITY ? 0 : this.#tokens;
      this.#tokens = Math.min(burst, before + gained);
    }
    this.#filledAt = Math.max(this.#filledAt, now);
    return this.#tokens;
  }

  /** May take more than there is: the next call then waits longer. */
  take(tokens: number): void {
    this.#tokens -= tokens;
  }

  /** Milliseconds until there are `wanted` tokens; 0 when they are there. */
  msUntil(wanted: number, rate: Rate, now: number): number {
    const missing = wanted - this.fill(rate, now);
    return missing > 0 ? (missing / rate.ratePerSecond) * 1000 : 0;
  }
}
