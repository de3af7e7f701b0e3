/**
 * Steps past their deadline. Those on the wire, and those in the queue with a short deadline (RCS, messenger), are found by
 * their index. Those in the queue with a long one expire when their lane claims them. A lane that is stopped for hours is
 * walked through here, a bounded number of steps at a time, each call from where the last one ended: deadlines of different
 * channels are in another order than the steps, so the oldest steps alone would hide those behind them.
 */
import type { MsgKey } from '../../domain/ids.ts';
import { READY } from '../phase.ts';
import type { StepKey } from '../port/queue-store.ts';
import type { Database, Row } from './database.ts';
import type { QueueHead, QueueHeads } from './queue-heads.ts';

/** As in the index of the migration. */
export const SHORT_MS = 7_200_000;
const MOST_LOOKED_AT = 5000;

/** A step that was looked at, within the steps of one head. */
interface Position {
  readonly head: QueueHead;
  readonly dueAt: number;
  readonly msgKey: string;
}

export function overdueReader(db: Database, heads: QueueHeads): (now: number, limit: number) => StepKey[] {
  const indexed = db.prepare(
    `SELECT msg_key, step, attempt FROM job
      WHERE deadline_at <= ? AND (phase <> 0 OR deadline_at - due_at < ${SHORT_MS})
      ORDER BY deadline_at LIMIT ?`,
  );
  const next = db.prepare(
    `SELECT msg_key, step, attempt, due_at, deadline_at FROM job
      WHERE phase = ${READY} AND carrier = ?1 AND account = ?2 AND rank = ?3
        AND (due_at, msg_key) > (?4, ?5) AND due_at <= ?6
      ORDER BY due_at, msg_key LIMIT ?7`,
  );
  let position: Position | undefined;

  return (now, limit) => {
    const rows = indexed.all(now, limit) as Row[];
    if (rows.length < limit) rows.push(...walk(now, limit - rows.length));
    return rows.map(stepKeyOf);
  };

  /** Overdue steps among the next ones; goes on from the first head when it is past the last. */
  function walk(now: number, limit: number): Row[] {
    const found: Row[] = [];
    let left = MOST_LOOKED_AT;
    for (const head of fromPosition(heads.all(), position)) {
      if (head.dueAt > now - SHORT_MS) continue;
      const isWithin = position !== undefined && inOrder(head, position.head) === 0;
      const after = isWithin && position ? [position.dueAt, position.msgKey] : [Number.MIN_SAFE_INTEGER, ''];
      const { carrier, account, rank } = head;
      const seen = next.all(carrier, account, rank, ...after, now - SHORT_MS, left) as Row[];
      left -= seen.length;
      for (const row of seen) {
        if (Number(row.deadline_at) <= now) found.push(row);
        if (found.length === limit || (left === 0 && row === seen.at(-1))) {
          position = { head, dueAt: Number(row.due_at), msgKey: String(row.msg_key) };
          return found;
        }
      }
    }
    position = undefined;
    return found;
  }
}

/** The head of the position, and those after it. */
function fromPosition(all: readonly QueueHead[], position: Position | undefined): QueueHead[] {
  const sorted = all.toSorted(inOrder);
  return position ? sorted.filter(head => inOrder(head, position.head) >= 0) : sorted;
}

function inOrder(a: QueueHead, b: QueueHead): number {
  return compare(a.carrier, b.carrier) || compare(a.account, b.account) || a.rank - b.rank;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function stepKeyOf({ msg_key, step, attempt }: Row): StepKey {
  return { msgKey: msg_key as MsgKey, step: Number(step), attempt: Number(attempt) };
}
