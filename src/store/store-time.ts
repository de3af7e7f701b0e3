/**
 * The time that a request has for the store.
 *
 * The engines bound their own calls. Here a request whose call is in doubt asks again until it knows, or until its time is over.
 */
import { type Clock, sleep } from '../platform/clock.ts';
import { StoreFault } from './store-fault.ts';

/** Share of a request's time that its work may take; the rest is for looking up the caller before it. */
const WORK_SHARE = 0.8;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

export class StoreTime {
  readonly #clock: Clock;
  readonly #endsAt: number;

  /** Starts now. `timeoutMs` is the time of the whole request. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + timeoutMs * WORK_SHARE;
  }

  get isOver(): boolean {
    return this.#leftMs <= 0;
  }

  /** Rejects with mayHaveHappened when the time is over before `call` has settled. */
  within<T>(call: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.schedule(this.#leftMs, () =>
        reject(new StoreFault('mayHaveHappened', 'the store did not answer in time')),
      );
      call.then(
        value => {
          cancel();
          resolve(value);
        },
        error => {
          cancel();
          reject(error);
        },
      );
    });
  }

  /** Asks until there is an answer, which must not change anything; undefined when the time is over. */
  async untilKnown<T>(ask: () => Promise<T>): Promise<T | undefined> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await this.within(ask());
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
      }
      if (this.isOver) return undefined;
      await sleep(this.#clock, Math.min(pauseMs, this.#leftMs));
    }
  }

  get #leftMs(): number {
    return Math.max(0, this.#endsAt - this.#clock.monotonic());
  }
}

export function isInDoubt(error: unknown): boolean {
  return error instanceof StoreFault && error.outcome === 'mayHaveHappened';
}
