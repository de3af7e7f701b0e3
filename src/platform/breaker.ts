/**
 * Stops calls to a peer that keeps failing, and finds out when it works again.
 *
 *   closed ──failures in a row──▶ open ──pause over──▶ probing
 *
 * While probing, the next result decides. A success closes it; a failure opens it again, for longer. A success of a call that
 * began earlier closes it even during the pause.
 *
 * Its user decides what a call is, how many probes go out, and who is informed of a change. `now` is always a reading of
 * the monotonic clock: a wall clock that is set back an hour must not keep it open for that hour.
 */
export type BreakerState = 'closed' | 'open' | 'probing';

export interface BreakerPolicy {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open, after it opened `times` times before without a success in between. */
  readonly pauseMs: (times: number) => number;
}

/** Each pause is twice the one before. */
export function doublingPause(firstMs: number, longestMs: number): BreakerPolicy['pauseMs'] {
  return times => Math.min(longestMs, firstMs * 2 ** Math.min(times, 30));
}

export class Breaker {
  readonly #policy: BreakerPolicy;
  #failuresInARow = 0;
  /** How often it opened since the last success. */
  #timesOpened = 0;
  #openUntil = Number.NEGATIVE_INFINITY;

  constructor(policy: BreakerPolicy) {
    this.#policy = policy;
  }

  state(now: number): BreakerState {
    if (now < this.#openUntil) return 'open';
    return this.#timesOpened > 0 ? 'probing' : 'closed';
  }

  /** True from the failure that opened it to the next success. */
  get isTripped(): boolean {
    return this.#timesOpened > 0;
  }

  /** Milliseconds until the pause is over; 0 when there is none. */
  remainingMs(now: number): number {
    return Math.max(0, this.#openUntil - now);
  }

  succeeded(): void {
    this.#failuresInARow = 0;
    this.#timesOpened = 0;
    this.#openUntil = Number.NEGATIVE_INFINITY;
  }

  /** True when this failure opened it. Calls that were under way when it opened add nothing. */
  failed(now: number): boolean {
    const state = this.state(now);
    if (state === 'open') return false;
    this.#failuresInARow++;
    if (state === 'closed' && this.#failuresInARow < this.#policy.failures) return false;
    this.trip(now);
    return true;
  }

  /** Opens it, however few failures there were, for `leastMs` or more. */
  trip(now: number, leastMs = 0): void {
    this.#failuresInARow = 0;
    this.#openUntil = now + Math.max(leastMs, this.#policy.pauseMs(this.#timesOpened));
    this.#timesOpened++;
  }

  /** Ends the pause now: for users with a timer, which may come a moment early by the clock. */
  endPause(now: number): void {
    this.#openUntil = Math.min(this.#openUntil, now);
  }
}
