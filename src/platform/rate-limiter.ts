/** A token bucket for each key, of this process alone. Memory is bounded. */
import type { Clock } from './clock.ts';
import type { Limiter, Over } from './limiter.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

const MAX_KEYS = 100_000;

export class RateLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes `cost` tokens; otherwise takes none and says in how many seconds it would have worked. */
  take(key: string, rate: Rate, cost = 1): Over | undefined {
    const now = this.#clock.monotonic();
    const bucket = this.#bucketOf(key, rate, now);
    // A cost above the burst could never be met; it passes when the bucket is full, and leaves a debt.
    const waitMs = bucket.msUntil(Math.min(cost, rate.burst), rate, now);
    if (waitMs > 0) return { retryAfterSeconds: Math.ceil(waitMs / 1000) };
    bucket.take(cost);
    return undefined;
  }

  /** Gives back what was taken for something that turned out not to count. */
  giveBack(key: string): void {
    this.#buckets.get(key)?.take(-1);
  }

  #bucketOf(key: string, rate: Rate, now: number): TokenBucket {
    const known = this.#buckets.get(key);
    if (known) {
      // Now the youngest: keys that are made up must not push out one that is in use.
      this.#buckets.delete(key);
      this.#buckets.set(key, known);
      return known;
    }
    if (this.#buckets.size >= MAX_KEYS) this.#forgetOldest();
    const bucket = new TokenBucket(rate, now);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
