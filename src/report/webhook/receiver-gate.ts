/**
 * Whether to call a receiver, by how its last calls went.
 *
 *   closed  calls go out; how many at once grows from one with every success
 *   open    after a row of failures: nothing goes out until the pause is over
 *   then one call at a time is a probe: a success closes the circuit, a failure lengthens the pause
 *
 * So a receiver that hangs holds one of the gateway's calls, not all of an account's, and a dead one costs a call now
 * and then, however many records wait for it. `now` is read from the monotonic clock: a wall clock that is set back an
 * hour must not keep it open for that hour.
 */
const OPENS_AFTER = 5;
const PAUSES_MS = [30_000, 60_000, 120_000, 300_000] as const;
const LONGEST_PAUSE_MS = 300_000;

export class Circuit {
  readonly #mostAtOnce: number;
  #failures = 0;
  #atOnce = 1;
  #openUntil = 0;

  constructor(mostAtOnce: number) {
    this.#mostAtOnce = mostAtOnce;
  }

  /** Calls that may be under way at the same time. */
  room(now: number): number {
    if (now < this.#openUntil) return 0;
    return this.isOpen ? 1 : this.#atOnce;
  }

  /** True from the failure that opens it to the next success. */
  get isOpen(): boolean {
    return this.#failures >= OPENS_AFTER;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = 0;
    this.#atOnce = Math.min(this.#atOnce * 2, this.#mostAtOnce);
  }

  failed(now: number): void {
    // Calls that were under way when it opened tell nothing new.
    if (now < this.#openUntil) return;
    this.#failures++;
    this.#atOnce = 1;
    if (this.isOpen) this.#openUntil = now + (PAUSES_MS[this.#failures - OPENS_AFTER] ?? LONGEST_PAUSE_MS);
  }
}
