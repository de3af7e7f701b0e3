/**
 * Signed calls that were taken, by the hash of their id and body. A signature holds for some minutes, and whoever sees a call
 * could repeat it in that time: the same call again changes nothing. A call that failed is not noted: the provider sends it
 * again.
 */

/** Longer than a signature holds, before and after its time (platform/standard-webhooks.ts). */
const GENERATION_MS = 600_000;
const MOST_IN_A_GENERATION = 50_000;

export class TakenCalls {
  #current = new Set<string>();
  #previous = new Set<string>();
  #startedAt = 0;

  has(call: string): boolean {
    return this.#current.has(call) || this.#previous.has(call);
  }

  /** `now`: a reading of the monotonic clock. */
  add(call: string, now: number): void {
    if (now - this.#startedAt > GENERATION_MS || this.#current.size >= MOST_IN_A_GENERATION) {
      this.#previous = this.#current;
      this.#current = new Set();
      this.#startedAt = now;
    }
    this.#current.add(call);
  }
}
