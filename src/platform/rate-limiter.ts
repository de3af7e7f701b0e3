/** A token bucket for each key: `ratePerSecond` on average, `burst` at once. Memory is bounded. */
import type { Clock } from './clock.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface Rate {
  readonly ratePerSecond: number;
  readonly burst: number;
}

const MAX_KEYS = 100_000;

export class RateLimiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes `cost` tokens; otherwise takes none and tells in how many seconds it would have worked. */
  take(key: string, rate: Rate, cost = 1): { readonly retryAfterSeconds: number } | undefined {
    const bucket = this.#bucket(key, rate);
    // A cost above the burst could never be met; it passes when the bucket is full, and leaves a debt.
    const needed = Math.min(cost, rate.burst);
    if (bucket.tokens < needed) {
      return { retryAfterSeconds: Math.ceil((needed - bucket.tokens) / rate.ratePerSecond) };
    }
    bucket.tokens -= cost;
    return undefined;
  }

  /** Whether `take` would refuse, without taking anything. */
  isExhausted(key: string, rate: Rate): boolean {
    return this.#bucket(key, rate).tokens < 1;
  }

  #bucket(key: string, { ratePerSecond, burst }: Rate): Bucket {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key);
    if (bucket) {
      const gained = ((now - bucket.filledAt) / 1000) * ratePerSecond;
      bucket.tokens = Math.min(burst, bucket.tokens + gained);
      bucket.filledAt = now;
      return bucket;
    }
    if (this.#buckets.size >= MAX_KEYS) this.#forgetOldest();
    const fresh = { tokens: burst, filledAt: now };
    this.#buckets.set(key, fresh);
    return fresh;
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
