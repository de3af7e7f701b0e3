/**
 * Pauses of the whole link. One refusal begins a pause; those of submits already on their way do not add to it.
 *
 *   full      the other side's queue is full: a second, each time
 *   account   it refuses our account: a second, and twice as long each time it happens soon again
 */
import type { Clock } from '../../platform/clock.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export class Slowdown {
  readonly #clock: Clock;
  readonly #ended: () => void;
  #until = 0;
  #pauseMs = 0;
  #cancel: () => void = () => {};

  constructor(clock: Clock, ended: () => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Milliseconds until submits may go on; 0 when they may now. */
  get remainingMs(): number {
    return Math.max(0, this.#until - this.#clock.monotonic());
  }

  /** True where this began a pause. */
  begin(why: 'full' | 'account'): boolean {
    const now = this.#clock.monotonic();
    if (now < this.#until) return false;
    const isSoonAgain = why === 'account' && now - this.#until < this.#pauseMs;
    this.#pauseMs = isSoonAgain ? Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2) : FIRST_PAUSE_MS;
    this.#until = now + this.#pauseMs;
    this.#cancel = this.#clock.schedule(this.#pauseMs, () => {
      // Timers may come a moment early by the clock; the pause is over nevertheless.
      this.#until = this.#clock.monotonic();
      this.#ended();
    });
    return true;
  }

  stop(): void {
    this.#cancel();
  }
}
