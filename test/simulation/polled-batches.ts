/** What the pollers of an account were handed: a batch is the same until it is deleted, and a record is in one only. */
import type { AccountId } from '../../src/domain/ids.ts';
import type { WireReport } from '../../src/report/wire-record.ts';
import type { Ledger } from './ledger.ts';

interface Batch {
  readonly records: readonly string[];
  /** When it was first handed out, as `AccountBatches.moment` counts. */
  readonly since: number;
  /** `doubtful`: a deletion was asked for and not answered. */
  state: 'held' | 'doubtful' | 'deleted';
}

interface AccountBatches {
  readonly batches: Map<string, Batch>;
  /** Counts what happens, to tell what came before what. */
  moment: number;
  /** When the last deletion began or ended. */
  deletedAt: number;
}

/** How a record is called here: its channel tells the step. */
export const recordName = (msgKey: string, serviceType: string): string => `${msgKey}/${serviceType}`;

export class PolledBatches {
  readonly #ledger: Ledger;
  #accounts = new Map<AccountId, AccountBatches>();
  #kept = new Map<AccountId, AccountBatches>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** As it is now, for `restored`. */
  keep(): void {
    this.#kept = structuredClone(this.#accounts);
  }

  /** The store is again as it was; what was under way then may have been done or not. */
  restored(): void {
    this.#accounts = structuredClone(this.#kept);
    for (const { batches } of this.#accounts.values())
      for (const batch of batches.values()) if (batch.state === 'held') batch.state = 'doubtful';
  }

  heldBy(account: AccountId): string | undefined {
    for (const [reportId, { state }] of this.#of(account).batches) {
      if (state === 'held' || state === 'doubtful') return reportId;
    }
    return undefined;
  }

  /** A poll begins; what it may be answered depends on what is deleted meanwhile. */
  asks(account: AccountId): number {
    return ++this.#of(account).moment;
  }

  answered(account: AccountId, asking: number, reportId: string, reports: readonly WireReport[]): void {
    const known = this.#of(account);
    const isQuiet = known.deletedAt < asking;
    const records = reports.map(
      report => `${recordName(report.msgKey, report.serviceType)} ${report.reportCode}`,
    );
    const before = known.batches.get(reportId);
    if (before && before.records.join() !== records.join()) {
      this.#ledger.violated('a batch has changed', `${account} ${reportId}`);
    }
    if (before?.state === 'deleted' && isQuiet) {
      this.#ledger.violated('a deleted batch comes again', `${account} ${reportId}`);
    }
    for (const [other, batch] of known.batches) {
      if (other === reportId) continue;
      if (batch.state === 'held' && isQuiet && batch.since < asking) {
        this.#ledger.violated(
          'another batch before the first was deleted',
          `${account} ${other}, ${reportId}`,
        );
      }
      // Another one is handed out: the deletion that was in doubt has happened.
      if (batch.state === 'doubtful' && isQuiet) batch.state = 'deleted';
    }
    if (reportId !== '' && !before)
      known.batches.set(reportId, { records, state: 'held', since: ++known.moment });
  }

  deletes(account: AccountId, reportId: string): void {
    const known = this.#of(account);
    known.deletedAt = ++known.moment;
    const batch = known.batches.get(reportId);
    if (batch?.state === 'held') batch.state = 'doubtful';
  }

  deleted(account: AccountId, reportId: string, told: string): void {
    const known = this.#of(account);
    known.deletedAt = ++known.moment;
    const batch = known.batches.get(reportId);
    // A805 after a doubt says that it was deleted before.
    if (batch && told !== 'doubt') batch.state = 'deleted';
  }

  /** How often each record was in a batch that was deleted. */
  fetched(account: AccountId): Map<string, number> {
    const times = new Map<string, number>();
    for (const { records, state } of this.#of(account).batches.values()) {
      if (state !== 'deleted') continue;
      for (const record of records) {
        const name = record.slice(0, record.indexOf(' '));
        times.set(name, (times.get(name) ?? 0) + 1);
      }
    }
    return times;
  }

  #of(account: AccountId): AccountBatches {
    const known = this.#accounts.get(account) ?? { batches: new Map(), moment: 0, deletedAt: 0 };
    this.#accounts.set(account, known);
    return known;
  }
}
