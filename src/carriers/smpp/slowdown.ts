/**
 * The pause of the whole link after a refusal because the other side's queue is full. One refusal begins a pause; those of
 * submits already on their way do not add to it.
 */
import type { Clock } from '../../platform/clock.ts';

const PAUSE_MS = 1000;

export class Slowdown {
  readonly #clock: Clock;
  readonly #ended: () => void;
  #until = 0;
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
  begin(): boolean {
    const now = this.#clock.monotonic();
    if (now < this.#until) return false;
    this.#until = now + PAUSE_MS;
    this.#cancel = this.#clock.schedule(PAUSE_MS, () => {
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
