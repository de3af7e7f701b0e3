/**
 * Whether a call to the provider may go out.
 *
 *   closed ──n failures in a row──▶ open ──pause over──▶ half open ──a success──▶ closed
 *                                    ▲                       │
 *                                    └──── a failure, and a longer pause
 *
 * platform/breaker.ts counts the failures and measures the pauses. Half open, one call goes ahead and the others wait for
 * its result. Apart from that the provider may ask for less (`slow`): nothing is sent until then. Every pass is ended,
 * exactly once. Pauses run on the monotonic clock; only `since` is for people.
 */
import { Breaker, doublingPause } from '../../platform/breaker.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CarrierStatus } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';

/** The right to make one call. */
export interface Pass {
  succeeded(): void;
  failed(reason: string): void;
  /** The call was not made, or its result says nothing of the provider. Harmless after one of the others. */
  unused(): void;
}

export type Admission =
  | { readonly kind: 'pass'; readonly pass: Pass }
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

export interface BreakerSettings {
  readonly failures: number;
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly reason: string }
  | { readonly kind: 'halfOpen'; readonly reason: string }
  | { readonly kind: 'probing'; readonly reason: string; readonly decided: PromiseWithResolvers<void> };

export class ProviderGate {
  readonly #breaker: Breaker;
  readonly #clock: Clock;
  readonly #changed: (status: CarrierStatus) => void;
  readonly #detailWhenUp: string;
  #state: State = { kind: 'closed' };
  #since: number;
  #slowedUntil = 0;
  #cancelPause = () => {};
  #cancelSlow = () => {};

  constructor(
    settings: BreakerSettings,
    clock: Clock,
    /** The detail of the status while all is well. */
    detailWhenUp: string,
    changed: (status: CarrierStatus) => void,
  ) {
    const { failures, pauseMs, longestPauseMs } = settings;
    const pause = doublingPause(pauseMs, longestPauseMs);
    this.#breaker = new Breaker({ failures, pauseMs: pause, afterPause: 'probe' });
    this.#clock = clock;
    this.#detailWhenUp = detailWhenUp;
    this.#changed = changed;
    this.#since = clock.now();
  }

  status(): CarrierStatus {
    const since = this.#since;
    const state = this.#state;
    if (state.kind === 'open') return { state: 'down', detail: state.reason, since };
    if (this.#isSlowed()) return { state: 'slowed', detail: 'the provider asked to send less', since };
    const detail = state.kind === 'closed' ? this.#detailWhenUp : `trying again after: ${state.reason}`;
    return { state: 'up', detail, since };
  }

  async admit(): Promise<Admission> {
    for (;;) {
      const state = this.#state;
      const now = this.#clock.monotonic();
      if (state.kind === 'open') return refusal(this.#breaker.remainingMs(now));
      if (this.#isSlowed()) return refusal(this.#slowedUntil - now);
      if (state.kind === 'closed') return { kind: 'pass', pass: this.#passFor(state) };
      if (state.kind === 'halfOpen') {
        const probing: State = {
          kind: 'probing',
          reason: state.reason,
          decided: Promise.withResolvers<void>(),
        };
        this.#state = probing;
        return { kind: 'pass', pass: this.#passFor(probing) };
      }
      await state.decided.promise;
    }
  }

  /** The provider asked for a pause. */
  slow(ms: number): void {
    const until = this.#clock.monotonic() + ms;
    if (ms <= 0 || until <= this.#slowedUntil) return;
    this.#slowedUntil = until;
    this.#turnInto(this.#state);
    this.#cancelSlow();
    this.#cancelSlow = this.#clock.schedule(ms, () => {
      if (!this.#isSlowed() && this.#state.kind !== 'open') this.#turnInto(this.#state);
    });
  }

  /** Nothing is sent for a while: the provider refuses us, and would refuse every message. */
  stop(reason: string): void {
    const state = this.#state;
    if (state.kind === 'open') return;
    this.#breaker.trip(this.#clock.monotonic());
    this.#open(cleanText(reason));
    if (state.kind === 'probing') state.decided.resolve();
  }

  close(): void {
    this.#cancelPause();
    this.#cancelSlow();
  }

  /** The result of a call that began in an earlier state says nothing about this one. */
  #passFor(given: State): Pass {
    return {
      succeeded: () => {
        if (this.#state !== given) return;
        this.#breaker.succeeded();
        if (given.kind !== 'probing') return;
        this.#turnInto({ kind: 'closed' });
        given.decided.resolve();
      },
      failed: reason => {
        if (this.#state !== given) return;
        if (!this.#breaker.failed(this.#clock.monotonic())) return;
        this.#open(cleanText(reason));
        if (given.kind === 'probing') given.decided.resolve();
      },
      unused: () => {
        if (this.#state !== given || given.kind !== 'probing') return;
        this.#state = { kind: 'halfOpen', reason: given.reason };
        given.decided.resolve();
      },
    };
  }

  #open(reason: string): void {
    this.#turnInto({ kind: 'open', reason });
    this.#cancelPause = this.#clock.schedule(this.#breaker.remainingMs(this.#clock.monotonic()), () => {
      this.#breaker.endPause(this.#clock.monotonic());
      this.#turnInto({ kind: 'halfOpen', reason });
    });
  }

  #turnInto(state: State): void {
    this.#state = state;
    this.#since = this.#clock.now();
    this.#changed(this.status());
  }

  #isSlowed(): boolean {
    return this.#clock.monotonic() < this.#slowedUntil;
  }
}

function refusal(remainingMs: number): Admission {
  return { kind: 'refused', retryAfterMs: Math.max(0, Math.ceil(remainingMs)) };
}
