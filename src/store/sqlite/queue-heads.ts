/** The heads of the queue: the oldest step of each carrier, account and rank. The index is jumped through, not read. */
import type { AccountId } from '../../domain/ids.ts';
import { BULK, READY, SINGLE } from '../phase.ts';
import type { ReadyAccountsQuery } from '../port/queue-store.ts';
import type { Database, Row } from './database.ts';

export interface QueueHead {
  readonly carrier: string;
  readonly account: string;
  readonly rank: number;
  readonly dueAt: number;
}

/** Our choice: with more heads than this, what is beyond them is looked at when these have gone. */
const MOST_HEADS = 10_000;

export interface QueueHeads {
  all(): QueueHead[];
  carriers(): string[];
  /** Accounts with steps ready for a carrier. */
  readyAccounts(query: ReadyAccountsQuery): AccountId[];
}

export function queueHeads(db: Database): QueueHeads {
  // Not one query over (carrier, account, rank): SQLite seeks a comparison of rows by its first column only.
  const oldest = db.prepare(
    `SELECT min(due_at) AS due_at FROM job WHERE phase = ${READY} AND carrier = ? AND account = ? AND rank = ?`,
  );
  const nextCarrier = db.prepare(
    `SELECT min(carrier) AS carrier FROM job WHERE phase = ${READY} AND carrier > ?`,
  );
  const firstCarrier = db.prepare(`SELECT min(carrier) AS carrier FROM job WHERE phase = ${READY}`);
  const nextAccount = db.prepare(
    `SELECT min(account) AS account FROM job WHERE phase = ${READY} AND carrier = ? AND account > ?`,
  );

  function carriers(): string[] {
    const found: string[] = [];
    let next = (firstCarrier.get() as Row).carrier;
    while (typeof next === 'string') {
      found.push(next);
      next = (nextCarrier.get(next) as Row).carrier;
    }
    return found;
  }

  function headsOf(carrier: string, heads: QueueHead[]): void {
    let account = (nextAccount.get(carrier, '') as Row).account;
    while (typeof account === 'string' && heads.length < MOST_HEADS) {
      for (const rank of [SINGLE, BULK]) {
        const dueAt = (oldest.get(carrier, account, rank) as Row).due_at;
        if (dueAt !== null) heads.push({ carrier, account, rank, dueAt: Number(dueAt) });
      }
      account = (nextAccount.get(carrier, account) as Row).account;
    }
  }

  return {
    all() {
      const heads: QueueHead[] = [];
      for (const carrier of carriers()) headsOf(carrier, heads);
      return heads;
    },
    carriers,
    readyAccounts({ carrier, after = '', limit }) {
      const found: AccountId[] = [];
      let next = (nextAccount.get(carrier, after) as Row).account;
      while (typeof next === 'string' && found.length < limit) {
        found.push(next as AccountId);
        next = (nextAccount.get(carrier, next) as Row).account;
      }
      return found;
    },
  };
}
