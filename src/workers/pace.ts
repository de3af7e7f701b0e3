/** The pace of a lane: so many parts a second, with no more than a twentieth of a second's worth at once. */

const BURST_SECONDS = 0.05;

export class Pace {
  readonly #rate: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  /** A rate of 0 means no limit. */
  constructor(rate: number, now: number) {
    this.#rate = rate;
    this.#burst = Math.max(1, rate * BURST_SECONDS);
    this.#tokens = this.#burst;
    this.#filledAt = now;
  }

  /** Parts that may be sent now. */
  room(now: number): number {
    if (this.#rate === 0) return Number.POSITIVE_INFINITY;
    this.#fill(now);
    return Math.max(0, Math.floor(this.#tokens));
  }

  /** A message of several parts may take more than there is room for: the next one waits the longer. */
  take(parts: number): void {
    if (this.#rate > 0) this.#tokens -= parts;
  }

  /** Milliseconds until there is room for a part. */
  msUntilRoom(now: number): number {
    if (this.#rate === 0) return 0;
    this.#fill(now);
    return Math.max(0, Math.ceil(((1 - this.#tokens) / this.#rate) * 1000));
  }

  #fill(now: number): void {
    const gained = (Math.max(0, now - this.#filledAt) / 1000) * this.#rate;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#filledAt = now;
  }
}
