/**
 * How far the queues of accounts have been looked through for last records without finding one. An account that wants last records
 * only leaves the others in its queue, and each poll would read them all again.
 *
 * Nothing depends on it but time: it is lost with the process, and trusted for a while only where records may be committed in
 * another order than that of their numbers.
 */
import type { AccountId } from '../domain/ids.ts';

const MOST_KNOWN = 10_000;

interface Passed {
  readonly seq: number;
  /** When it was last begun from the start. */
  readonly since: number;
}

export class PassedRecords {
  readonly #trustMs: number;
  readonly #passed = new Map<AccountId, Passed>();

  constructor(trustMs = Number.POSITIVE_INFINITY) {
    this.#trustMs = trustMs;
  }

  /** The number after which to look. */
  after(account: AccountId, now: number): number {
    const passed = this.#passed.get(account);
    return passed && Math.abs(now - passed.since) < this.#trustMs ? passed.seq : 0;
  }

  /** No last record waits up to this number. `from`: where the look began. */
  note(account: AccountId, seq: number, from: number, now: number): void {
    const before = this.#passed.get(account);
    if (!before && this.#passed.size >= MOST_KNOWN) this.#passed.clear();
    this.#passed.set(account, { seq, since: from > 0 && before ? before.since : now });
  }
}
