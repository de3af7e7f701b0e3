/**
 * Keeps the answers of polls for a short time: a batch does not change until it is acknowledged, and a thousand records need
 * not be read and written again for each of many pollers. The store still says whether the batch is open.
 */
import type { Account, AccountSettings } from '../domain/account/account.ts';
import type { AccountId, ReportId } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { WireReport } from './wire-record.ts';

export interface PolledBatch {
  readonly reportId: ReportId;
  readonly report: readonly WireReport[];
}

/** A batch of a thousand records takes about a megabyte. */
const MOST_KEPT = 32;
const KEPT_MS = 10_000;

export class KeptBatches {
  readonly #clock: Clock;
  /** In the order in which they were kept. */
  readonly #kept = new Map<
    AccountId,
    { readonly batch: PolledBatch; readonly settings: AccountSettings; readonly keptAt: number }
  >();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The batch as the account was given it, if its settings did not change since. */
  find({ id, settings }: Account): PolledBatch | undefined {
    this.#dropOld();
    const kept = this.#kept.get(id);
    return kept?.settings.reportFormat === settings.reportFormat ? kept.batch : undefined;
  }

  keep({ id, settings }: Account, batch: PolledBatch): void {
    this.#kept.delete(id);
    this.#kept.set(id, { batch, settings, keptAt: this.#clock.monotonic() });
    this.#dropOld();
  }

  drop(account: AccountId): void {
    this.#kept.delete(account);
  }

  #dropOld(): void {
    const now = this.#clock.monotonic();
    for (const [account, { keptAt }] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT && now - keptAt < KEPT_MS) return;
      this.#kept.delete(account);
    }
  }
}
