/**
 * The pace of a lane: so many parts a second, with no more than a twentieth of a second's worth at once. The settings
 * give a bound, of which each node that runs the carrier has a share (pace-shares.ts); within it the carrier's own limit is found (found-rate.ts).
 */
import { type Rate, TokenBucket } from '../platform/token-bucket.ts';
import { FoundRate } from './found-rate.ts';

const BURST_SECONDS = 0.05;
/** A node that was never short of room wants what it used and so much more, and this part of the rate in any case. */
const GROWTH = 1.5;
const LEAST_WISH = 0.05;

export class Pace {
  readonly #configured: number;
  readonly #found: FoundRate;
  readonly #bucket: TokenBucket;
  /** Asks for a share; undefined where this node has the whole rate. */
  #askForShare: (() => void) | undefined;
  #share = 0;
  #shareUntil = Number.NEGATIVE_INFINITY;
  #sent = 0;
  #isShort = false;
  #wishedAt: number;

  /** `now` is always a reading of the monotonic clock. A rate of 0 means no limit. */
  constructor(rate: number, now: number) {
    this.#configured = rate === 0 ? Number.POSITIVE_INFINITY : rate;
    this.#wishedAt = now;
    this.#found = new FoundRate(now);
    this.#bucket = new TokenBucket(rateOf(this.#configured), now);
  }

  /** Parts a second that the carrier was found to take; null where it takes all that settings allow. */
  get foundRate(): number | null {
    const { rate } = this.#found;
    return rate === undefined || rate >= this.#bound ? null : rate;
  }

  /** A configured rate is for all nodes together: from now on nothing is sent without a share of it. */
  shareBy(ask: () => void): void {
    this.#askForShare = ask;
  }

  /** The share of this node, in parts a second, and until when it may be used. */
  limitTo(share: number, until: number): void {
    this.#share = share;
    this.#shareUntil = until;
  }

  /** What this node could use of the configured rate, judged by the time since it was last asked. */
  wish(now: number): number {
    const seconds = Math.max(0.1, (now - this.#wishedAt) / 1000);
    const used = GROWTH * (this.#sent / seconds) + LEAST_WISH * this.#configured;
    const wish = this.#isShort ? this.#configured : Math.min(this.#configured, used);
    this.#wishedAt = now;
    this.#sent = 0;
    this.#isShort = false;
    return wish;
  }

  /** Parts that may be sent now. */
  room(now: number): number {
    if (this.#askForShare && now >= this.#shareUntil) {
      this.#askForShare();
      return 0;
    }
    const room = this.#bound > 0 ? Math.floor(this.#bucket.fill(this.#rateAt(now), now)) : 0;
    if (room < 1) this.#isShort = true;
    return Math.max(0, room);
  }

  /** A message of several parts may take more than there is room for: the next one waits longer. */
  take(parts: number): void {
    this.#sent += parts;
    this.#bucket.take(parts);
  }

  /** Milliseconds until there is room for a part. */
  msUntilRoom(now: number): number {
    if (this.#bound === 0) return Number.POSITIVE_INFINITY;
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
    return this.#askForShare ? Math.min(this.#configured, this.#share) : this.#configured;
  }

  #rateAt(now: number): Rate {
    return rateOf(Math.min(this.#bound, this.#found.paceAt(now, this.#bound)));
  }
}

function rateOf(partsPerSecond: number): Rate {
  return { ratePerSecond: partsPerSecond, burst: Math.max(1, partsPerSecond * BURST_SECONDS) };
}
