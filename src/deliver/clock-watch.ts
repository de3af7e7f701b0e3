/** Detects that the wall clock was set: its distance from the monotonic clock has changed. */
import type { Clock } from '../platform/clock.ts';

/** Clocks that are slewed drift by less between two looks. */
const TOLERANCE_MS = 1000;

export class ClockWatch {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** By how much the wall clock was set since the last look; 0 where it was not. */
  look(): number {
    const offset = this.#clock.now() - this.#clock.monotonic();
    const change = offset - this.#offset;
    this.#offset = offset;
    return Math.abs(change) > TOLERANCE_MS ? change : 0;
  }
}
