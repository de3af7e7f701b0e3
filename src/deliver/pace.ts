/**
 * The pace of a lane: so many parts a second, with no more than a twentieth of a second's worth at once. The settings
 * give a bound, which the nodes that run the carrier share; within it the carrier's own limit is found (found-rate.ts).
 */
import { type Rate, TokenBucket } from '../platform/token-bucket.ts';
import { FoundRate } from './found-rate.ts';

const BURST_SECONDS = 0.05;

export class Pace {
  readonly #configured: number;
  readonly #found: FoundRate;
  readonly #bucket: TokenBucket;
  #nodes = 1;

  /** `now` is always a reading of the monotonic clock. A rate of 0 means no limit. */
  constructor(rate: number, now: number) {
    this.#configured = rate === 0 ? Number.POSITIVE_INFINITY : rate;
    this.#found = new FoundRate(now);
    this.#bucket = new TokenBucket(rateOf(this.#configured), now);
  }

  /** Parts a second that the carrier was found to take; null where it takes all that settings allow. */
  get foundRate(): number | null {
    const { rate } = this.#found;
    return rate === undefined || rate >= this.#bound ? null : rate;
  }

  /** A configured rate is for all nodes together: each node that runs the carrier takes an equal part. */
  shareBetween(nodes: number): void {
    this.#nodes = Math.max(1, nodes);
  }

  /** Parts that may be sent now. */
  room(now: number): number {
    return Math.max(0, Math.floor(this.#bucket.fill(this.#rateAt(now), now)));
  }

  /** A message of several parts may take more than there is room for: the next one waits longer. */
  take(parts: number): void {
    this.#found.sent(parts);
    this.#bucket.take(parts);
  }

  /** Milliseconds until there is room for a part. */
  msUntilRoom(now: number): number {
    return Math.ceil(this.#bucket.msUntil(1, this.#rateAt(now), now));
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

  #rateAt(now: number): Rate {
    this.#found.adapt(now, this.#bound);
    return rateOf(Math.min(this.#bound, this.#found.paceAt(now)));
  }
}

function rateOf(partsPerSecond: number): Rate {
  return { ratePerSecond: partsPerSecond, burst: Math.max(1, partsPerSecond * BURST_SECONDS) };
}
