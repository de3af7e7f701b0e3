import type { Clock } from './clock.ts';

/** Things that all have the same time, counted from when each was added. One timer serves them all: the first is due first. */
export class Expiry<T> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onExpired: (expired: readonly T[]) => void;
  /** In the order they were added, with the moment at which each expires. */
  readonly #endsAt = new Map<T, number>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, timeoutMs: number, onExpired: (expired: readonly T[]) => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onExpired = onExpired;
  }

  add(thing: T): void {
    this.#endsAt.set(thing, this.#clock.monotonic() + this.#timeoutMs);
    if (!this.#cancel) this.#watch();
  }

  /** True if it was there, and in time. */
  remove(thing: T): boolean {
    if (!this.#endsAt.delete(thing)) return false;
    if (this.#endsAt.size === 0) {
      this.#cancel?.();
      this.#cancel = undefined;
    }
    return true;
  }

  #watch(): void {
    const [first] = this.#endsAt.values();
    if (first === undefined) return;
    this.#cancel = this.#clock.schedule(Math.max(0, first - this.#clock.monotonic()), () => {
      this.#cancel = undefined;
      const expired = this.#takeExpired();
      this.#watch();
      this.#onExpired(expired);
    });
  }

  #takeExpired(): T[] {
    const now = this.#clock.monotonic();
    const expired: T[] = [];
    for (const [thing, endsAt] of this.#endsAt) {
      if (endsAt > now) break;
      expired.push(thing);
    }
    for (const thing of expired) this.#endsAt.delete(thing);
    return expired;
  }
}
