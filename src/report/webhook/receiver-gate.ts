/**
 * How many calls to a receiver may be under way at the same time, by how its last calls went.
 *
 * While all is well the number grows from one with every success. After a row of failures nothing goes out until a pause
 * is over, and then one call at a time is a probe (platform/breaker.ts). So a receiver that hangs holds one of the
 * gateway's calls, not all of an account's, and a dead one costs a call now and then, however many records wait for it.
 */
import { Breaker } from '../../platform/breaker.ts';

const FAILURES_UNTIL_OPEN = 5;
const PAUSES_MS = [30_000, 60_000, 120_000] as const;
const LONGEST_PAUSE_MS = 300_000;

export class ReceiverGate {
  /** May be changed at any time; calls beyond it that are under way are not ended. */
  mostAtOnce: number;
  readonly #breaker = new Breaker({
    failures: FAILURES_UNTIL_OPEN,
    pauseMs: times => PAUSES_MS[times] ?? LONGEST_PAUSE_MS,
  });
  #atOnce = 1;
  #failuresInARow = 0;

  constructor(mostAtOnce: number) {
    this.mostAtOnce = mostAtOnce;
  }

  /** Calls that may be under way at the same time. `now` is a reading of the monotonic clock. */
  room(now: number): number {
    switch (this.#breaker.state(now)) {
      case 'open':
        return 0;
      case 'probing':
        return 1;
      case 'closed':
        return Math.min(this.#atOnce, this.mostAtOnce);
    }
  }

  /** The receiver is in trouble: from the failure that stopped the calls to the next success. */
  get isInTrouble(): boolean {
    return this.#breaker.isTripped;
  }

  get failuresInARow(): number {
    return this.#failuresInARow;
  }

  /** Whole milliseconds until the next call may go out. */
  pauseMs(now: number): number {
    return Math.ceil(this.#breaker.remainingMs(now));
  }

  /** An operator wants to see now whether it works again: the next call is the probe. */
  endPause(now: number): void {
    this.#breaker.endPause(now);
  }

  succeeded(): void {
    this.#breaker.succeeded();
    this.#failuresInARow = 0;
    this.#atOnce = Math.min(this.#atOnce * 2, this.mostAtOnce);
  }

  /** True when this failure stopped the calls, or kept them stopped. */
  failed(now: number): boolean {
    this.#atOnce = 1;
    this.#failuresInARow++;
    return this.#breaker.failed(now);
  }
}
