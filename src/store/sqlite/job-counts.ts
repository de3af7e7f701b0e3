import { AWAITING_RECEIPT, CLAIMED, PUT_OFF, READY } from '../phase.ts';
import type { Database, Row } from './database.ts';

/**
 * How many jobs are in each phase. Counted once, then updated with every change of jobs: counting a million rows every
 * second would block everything else. Counted again after a transaction that failed.
 */
export class JobCounts {
  readonly #count: () => number[];
  #counts: number[] | undefined;

  constructor(db: Database) {
    const statement = db.prepare('SELECT phase, count(*) AS jobs FROM job GROUP BY phase');
    this.#count = () => {
      const counts = [0, 0, 0, 0];
      for (const { phase, jobs } of statement.all() as Row[]) counts[Number(phase)] = Number(jobs);
      return counts;
    };
    db.onRollback(() => this.recount());
  }

  read(): { ready: number; claimed: number; awaitingReceipt: number; putOff: number } {
    this.#counts ??= this.#count();
    const [ready = 0, claimed = 0, awaitingReceipt = 0, putOff = 0] = [
      READY,
      CLAIMED,
      AWAITING_RECEIPT,
      PUT_OFF,
    ].map(phase => this.#counts?.[phase]);
    return { ready, claimed, awaitingReceipt, putOff };
  }

  /** Jobs that left a phase, entered one, or both. */
  move(jobs: number, from: number | undefined, to: number | undefined): void {
    if (!this.#counts) return;
    if (from !== undefined) this.#counts[from] = (this.#counts[from] ?? 0) - jobs;
    if (to !== undefined) this.#counts[to] = (this.#counts[to] ?? 0) + jobs;
  }

  recount(): void {
    this.#counts = undefined;
  }
}
