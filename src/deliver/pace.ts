/**
 * The pace of a lane: so many parts a second, with no more than a twentieth of a second's worth at once. The settings
 * give a bound, which the nodes that run the carrier share; within it the carrier's own limit is found (found-rate.ts).
 */
import { FoundRate } from './found-rate.ts';

const BURST_SECONDS = 0.05;

export class Pace {
  readonly #configured: number;
  readonly #found: FoundRate;
  #nodes = 1;
  #tokens: number;
  #filledAt: number;

  /** `now` is always a reading of the monotonic clock. A rate of 0 means no limit. */
  constructor(rate: number, now: number) {
    this.#configured = rate === 0 ? Number.POSITIVE_INFINITY : rate;
    this.#found = new FoundRate(now);
    this.#tokens = burstOf(this.#configured);
    this.#filledAt = now;
  }

  /** Parts a second that the carrier was found to take; null where it takes all that settings allow. */
  get foundRate(): number | null {
    const { rate } = this.#found;
    return rate === undefined || rate >= this.#bound ? null : rate;
  }

  /** A configured rate is the carrier's for us all: each of the nodes that run it takes its part. */
  shareBetween(nodes: number): void {
    this.#nodes = Math.max(1, nodes);
  }

  /** Parts that may be sent now. */
  room(now: number): number {
    const rate = this.#fill(now);
    if (rate === Number.POSITIVE_INFINITY) return rate;
    return Math.max(0, Math.floor(this.#tokens));
  }

  /** A message of several parts may take more than there is room for: the next one waits the longer. */
  take(parts: number): void {
    this.#found.sent(parts);
    this.#tokens -= parts;
  }

  /** Milliseconds until there is room for a part. */
  msUntilRoom(now: number): number {
    const rate = this.#fill(now);
    if (rate === Number.POSITIVE_INFINITY) return 0;
    return Math.max(0, Math.ceil(((1 - this.#tokens) / rate) * 1000));
  }

  /** The carrier has taken parts that were sent at `sentAt`, or has refused them for what they are. */
  taken(parts: number, sentAt: number, now: number): void {
    this.#found.taken(parts, sentAt, now);
  }

  /** It has not taken them because it takes less than we send. `isHeld`: it asks for a pause as well. */
  throttled(parts: number, sentAt: number, now: number, isHeld: boolean): void {
    this.#found.throttled(parts, sentAt, now, isHeld);
  }

  get #bound(): number {
    return this.#configured / this.#nodes;
  }

  /** Tells the rate that counts now. */
  #fill(now: number): number {
    this.#found.adapt(now, this.#bound);
    const rate = Math.min(this.#bound, this.#found.paceAt(now));
    if (rate === Number.POSITIVE_INFINITY) {
      this.#tokens = rate;
    } else {
      const gained = (Math.max(0, now - this.#filledAt) / 1000) * rate;
      // The first throttling ends a time without a limit.
      const before = this.#tokens === Number.POSITIVE_INFINITY ? 0 : this.#tokens;
      this.#tokens = Math.min(burstOf(rate), before + gained);
    }
    this.#filledAt = now;
    return rate;
  }
}

function burstOf(rate: number): number {
  return Math.max(1, rate * BURST_SECONDS);
}
