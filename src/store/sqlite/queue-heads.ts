/** The heads of the queue: the oldest step of each carrier, account and rank. The index is jumped through, not read. */
import type { AccountId } from '../../domain/ids.ts';
import { BULK, READY, SINGLE } from '../phase.ts';
import type { Waiting, WaitingQuery } from '../store.ts';
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
  /** Accounts with steps due for a carrier. */
  waiting(query: WaitingQuery): Waiting[];
}

export function queueHeads(db: Database): QueueHeads {
  const nextHead = db.prepare(
    `SELECT carrier, account, rank, due_at FROM job
      WHERE phase = ${READY} AND (carrier, account, rank) > (?, ?, ?)
      ORDER BY carrier, account, rank, due_at LIMIT 1`,
  );
  const nextCarrier = db.prepare(
    `SELECT min(carrier) AS carrier FROM job WHERE phase = ${READY} AND carrier > ?`,
  );
  const firstCarrier = db.prepare(`SELECT min(carrier) AS carrier FROM job WHERE phase = ${READY}`);
  const nextAccount = db.prepare(
    `SELECT min(account) AS account FROM job WHERE phase = ${READY} AND carrier = ? AND account > ?`,
  );
  const isDue = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM job WHERE phase = ${READY} AND carrier = ? AND account = ? AND rank = ? AND due_at <= ?) AS due`,
  );

  return {
    all() {
      const heads: QueueHead[] = [];
      let row = nextHead.get('', '', -1) as Row | undefined;
      while (row && heads.length < MOST_HEADS) {
        const head = {
          carrier: String(row.carrier),
          account: String(row.account),
          rank: Number(row.rank),
          dueAt: Number(row.due_at),
        };
        heads.push(head);
        row = nextHead.get(head.carrier, head.account, head.rank) as Row | undefined;
      }
      return heads;
    },
    carriers() {
      const carriers: string[] = [];
      let next = (firstCarrier.get() as Row).carrier;
      while (typeof next === 'string') {
        carriers.push(next);
        next = (nextCarrier.get(next) as Row).carrier;
      }
      return carriers;
    },
    waiting({ carrier, after = '', limit, now }) {
      const found: Waiting[] = [];
      let next = (nextAccount.get(carrier, after) as Row).account;
      while (typeof next === 'string' && found.length < limit) {
        const account = next;
        const ranks = [SINGLE, BULK].filter(
          rank => (isDue.get(carrier, account, rank, now) as Row).due === 1,
        );
        if (ranks.length > 0) found.push({ account: account as AccountId, ranks });
        next = (nextAccount.get(carrier, account) as Row).account;
      }
      return found;
    },
  };
}
