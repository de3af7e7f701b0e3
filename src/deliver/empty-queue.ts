/**
 * What a lane knows of its queue: whether it is empty, without asking the store each time.
 *
 * Every reason to think that steps were added counts as an arrival. The queue was empty when a look at it found nothing, and
 * still is if nothing has arrived since the look began. What other nodes add is found by a look every now and then; when
 * that is overdue the queue no longer counts as empty, so that a carrier which is always busy keeps nothing waiting.
 */
import { BACKGROUND_TASKS } from '../domain/background-tasks.ts';

/** How often a lane looks for steps that it was not told of. */
export const LOOK_EVERY_MS = BACKGROUND_TASKS.claim.everyMs;

export class EmptyQueue {
  #arrivals = 1;
  #arrivalsWhenEmpty = 0;
  #emptyAt = Number.NEGATIVE_INFINITY;

  /** Steps may have been added. */
  arrived(): void {
    this.#arrivals++;
  }

  /** A look begins; what is returned takes what it found, and when. `now` is a reading of the monotonic clock. */
  look(): (steps: number, now: number) => void {
    const arrivals = this.#arrivals;
    return (steps, now) => {
      if (steps > 0) this.arrived();
      else {
        this.#arrivalsWhenEmpty = arrivals;
        this.#emptyAt = now;
      }
    };
  }

  /** Nothing waits, as far as this node knows. */
  isEmpty(now: number): boolean {
    return this.#arrivals === this.#arrivalsWhenEmpty && now - this.#emptyAt < 2 * LOOK_EVERY_MS;
  }

  isWorthALook(now: number): boolean {
    return this.#arrivals !== this.#arrivalsWhenEmpty || now - this.#emptyAt >= LOOK_EVERY_MS;
  }
}
