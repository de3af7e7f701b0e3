/**
 * Steps past their deadline. Those on the wire, and those in the queue with a short deadline (RCS, messenger), are found by
 * their index. Those in the queue with a long one expire when their lane claims them; a lane that is stopped for hours
 * is looked through here, the oldest steps first, a bounded number at a time.
 */
import type { MsgKey } from '../../domain/ids.ts';
import { READY, SET_ASIDE } from '../phase.ts';
import type { StepKey } from '../port/queue-store.ts';
import type { Database, Row } from './database.ts';
import type { QueueHeads } from './queue-heads.ts';

/** As in the index of the migration. */
export const SHORT_MS = 7_200_000;
const MOST_LOOKED_AT = 5000;

export function overdueReader(db: Database, heads: QueueHeads): (now: number, limit: number) => StepKey[] {
  const indexed = db.prepare(
    `SELECT msg_key, step, attempt FROM job
      WHERE deadline_at <= ? AND (phase <> 0 OR deadline_at - due_at < ${SHORT_MS}) AND phase <> ${SET_ASIDE}
      ORDER BY deadline_at LIMIT ?`,
  );
  const oldest = db.prepare(
    `SELECT msg_key, step, attempt FROM (
       SELECT * FROM job
        WHERE phase = ${READY} AND carrier = ?1 AND account = ?2 AND rank = ?3 AND due_at <= ?4 - ${SHORT_MS}
        ORDER BY due_at LIMIT ${MOST_LOOKED_AT})
      WHERE deadline_at <= ?4 LIMIT ?5`,
  );
  return (now, limit) => {
    const rows = indexed.all(now, limit) as Row[];
    if (rows.length === limit) return rows.map(stepKeyOf);
    for (const { carrier, account, rank, dueAt } of heads.all()) {
      if (dueAt > now - SHORT_MS) continue;
      rows.push(...(oldest.all(carrier, account, rank, now, limit - rows.length) as Row[]));
    }
    return rows.map(stepKeyOf);
  };
}

export function stepKeyOf({ msg_key, step, attempt }: Row): StepKey {
  return { msgKey: msg_key as MsgKey, step: Number(step), attempt: Number(attempt) };
}
