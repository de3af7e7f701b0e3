/**
 * While the store is away, every call of it fails, many times a second. The log has one line when it goes and one when it
 * is back, with how often what has failed in between; each failure is in the log at debug.
 */
import type { Clock } from '../platform/clock.ts';
import { type Logger, loggedMessage } from '../platform/logger.ts';

export class StoreOutage {
  readonly #log: Logger;
  readonly #clock: Clock;
  #since: number | undefined;
  readonly #failed = new Map<string, number>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `where`: what needed the store. */
  failed(where: string, error: unknown, details: Readonly<Record<string, unknown>> = {}): void {
    const reason = loggedMessage(error);
    this.#failed.set(where, (this.#failed.get(where) ?? 0) + 1);
    if (this.#since !== undefined) {
      this.#log.debug({ event: 'storeFailed', where, ...details, reason });
      return;
    }
    this.#since = this.#clock.monotonic();
    this.#log.error({ event: 'storeAway', where, ...details, reason });
  }

  /** The store has just been seen to answer and to take writes. */
  works(): void {
    if (this.#since === undefined) return;
    const awayMs = Math.round(this.#clock.monotonic() - this.#since);
    this.#log.warn({ event: 'storeBack', awayMs, failed: Object.fromEntries(this.#failed) });
    this.#since = undefined;
    this.#failed.clear();
  }
}
