/**
 * Keeps messages from a provider that is in trouble.
 *
 *   closed ──n failures in a row──▶ open ──pause over──▶ half open ──a success──▶ closed
 *                                    ▲                       │
 *                                    └──── a failure, and a longer pause
 *
 * Half open, one call goes ahead and the others wait for what comes of it. Apart from that the provider may ask for
 * less (`slow`): nothing is sent until then. Every pass is ended, exactly once. Pauses run on the monotonic clock; only
 * `since` is for people.
 */
import type { Clock } from '../../platform/clock.ts';
import type { CarrierStatus } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';

/** The right to make one call. */
export interface Pass {
  succeeded(): void;
  failed(reason: string): void;
  /** The call was not made, or tells nothing. Harmless after one of the others. */
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
  | { readonly kind: 'open'; readonly until: number; readonly reason: string }
  | { readonly kind: 'halfOpen'; readonly reason: string }
  | { readonly kind: 'probing'; readonly reason: string; readonly decided: PromiseWithResolvers<void> };

export class CircuitBreaker {
  readonly #settings: BreakerSettings;
  readonly #clock: Clock;
  readonly #changed: (status: CarrierStatus) => void;
  readonly #up: string;
  #state: State = { kind: 'closed' };
  #since: number;
  #failuresInARow = 0;
  #pausesInARow = 0;
  #slowedUntil = 0;
  #cancelPause = () => {};
  #cancelSlow = () => {};

  constructor(
    settings: BreakerSettings,
    clock: Clock,
    /** What an open way leads to, for people. */
    up: string,
    changed: (status: CarrierStatus) => void,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#up = up;
    this.#changed = changed;
    this.#since = clock.now();
  }

  status(): CarrierStatus {
    const since = this.#since;
    const state = this.#state;
    if (state.kind === 'open') return { state: 'down', detail: state.reason, since };
    if (this.#isSlowed()) return { state: 'slowed', detail: 'the provider asked to send less', since };
    const detail = state.kind === 'closed' ? this.#up : `trying again after: ${state.reason}`;
    return { state: 'up', detail, since };
  }

  async admit(): Promise<Admission> {
    for (;;) {
      const state = this.#state;
      if (state.kind === 'open') return this.#refusal(state.until);
      if (this.#isSlowed()) return this.#refusal(this.#slowedUntil);
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

  close(): void {
    this.#cancelPause();
    this.#cancelSlow();
  }

  /** What a call of an earlier state brings says nothing of this one. */
  #passFor(given: State): Pass {
    return {
      succeeded: () => {
        if (this.#state !== given) return;
        this.#failuresInARow = 0;
        this.#pausesInARow = 0;
        if (given.kind !== 'probing') return;
        this.#turnInto({ kind: 'closed' });
        given.decided.resolve();
      },
      failed: reason => {
        if (this.#state !== given) return;
        this.#failuresInARow++;
        if (given.kind === 'closed' && this.#failuresInARow < this.#settings.failures) return;
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
    const { pauseMs, longestPauseMs } = this.#settings;
    const pause = Math.min(longestPauseMs, pauseMs * 2 ** this.#pausesInARow++);
    this.#turnInto({ kind: 'open', until: this.#clock.monotonic() + pause, reason });
    this.#cancelPause = this.#clock.schedule(pause, () => this.#turnInto({ kind: 'halfOpen', reason }));
  }

  #turnInto(state: State): void {
    this.#state = state;
    this.#since = this.#clock.now();
    this.#changed(this.status());
  }

  #isSlowed(): boolean {
    return this.#clock.monotonic() < this.#slowedUntil;
  }

  #refusal(until: number): Admission {
    return { kind: 'refused', retryAfterMs: Math.max(0, Math.ceil(until - this.#clock.monotonic())) };
  }
}
