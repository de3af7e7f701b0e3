/**
 * Whether a lane may send. Closed while an operator has paused the carrier, while it is not up, and for a while after it
 * refused several messages in a row for reasons of its own. `now` is always a reading of the monotonic clock.
 */
import type { CarrierStatus } from '../carriers/carrier.ts';
import { Breaker, doublingPause } from '../platform/breaker.ts';
import type { Clock } from '../platform/clock.ts';

const FAULTS_UNTIL_CLOSED = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A link that was lost is given this long before its traffic goes another way. */
const GRACE_MS = 5_000;

export class CarrierGate {
  readonly #status: () => CarrierStatus;
  // No probes: a lane sends in batches, and the carrier itself knows whether a single call may go ahead.
  readonly #breaker = new Breaker({
    failures: FAULTS_UNTIL_CLOSED,
    pauseMs: doublingPause(FIRST_PAUSE_MS, LONGEST_PAUSE_MS),
    afterPause: 'resume',
  });
  isPaused = false;
  /** This node is to send nothing more. Another one does, so that its traffic need not go another way. */
  isDraining = false;
  #lastUpAt: number;

  constructor(status: () => CarrierStatus, now: number) {
    this.#status = status;
    this.#lastUpAt = now;
  }

  /** It takes messages at this moment. */
  isOpen(now: number): boolean {
    return (
      !this.isPaused &&
      !this.isDraining &&
      this.#breaker.state(now) !== 'open' &&
      this.#status().state === 'up'
    );
  }

  /** It takes messages now or will in a moment: worth waiting for. */
  isAvailable(now: number): boolean {
    if (this.isPaused || this.#breaker.state(now) === 'open') return false;
    const { state } = this.#status();
    if (state === 'up' || state === 'slowed') this.#lastUpAt = now;
    return now - this.#lastUpAt < GRACE_MS;
  }

  /** Until when it is closed because of refusals, by the wall clock to the second; null where it is not. */
  closedUntil(clock: Clock): number | null {
    const remainingMs = this.#breaker.remainingMs(clock.monotonic());
    return remainingMs === 0 ? null : Math.ceil((clock.now() + remainingMs) / 1000) * 1000;
  }

  took(): void {
    this.#breaker.succeeded();
  }

  /** It turned a message away for reasons of its own. A link that was asked to slow down is not at fault. */
  turnedAway(now: number): void {
    if (this.#status().state !== 'slowed') this.#breaker.failed(now);
  }
}
