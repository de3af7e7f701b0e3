/** Steps that wait for a receipt, with the references that their carrier gave them. */
import type { MsgKey } from '../../domain/ids.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { AWAITING_RECEIPT } from '../phase.ts';
import type { AwaitedQuery, AwaitedStep } from '../port/queue-store.ts';
import type { Database, Row } from './database.ts';
import { SHORT_MS, stepKeyOf } from './overdue.ts';
import { createReferenceSpan } from './reference-span.ts';

/** Rows that are looked through in one turn. */
const STRETCH = 20_000;
/** How long a reference may be written before or after the moment that its step has. */
const GRACE_MS = 60_000;

export function awaitedReader(db: Database): (query: AwaitedQuery) => Promise<AwaitedStep[]> {
  const selectSteps = db.prepare(
    `SELECT msg_key, step, attempt, state, deadline_at, submitted_at FROM job
      WHERE deadline_at > ?1 AND deadline_at <= ?2
        AND (phase <> 0 OR deadline_at - due_at < ${SHORT_MS}) AND phase = ${AWAITING_RECEIPT}
        AND carrier = ?3 AND coalesce(submitted_at, 0) <= ?4
      ORDER BY deadline_at, msg_key LIMIT ?5`,
  );
  const selectRefs = db.prepare(
    `SELECT msg_key, step, attempt, ref FROM carrier_ref
      WHERE id >= ? AND id < ? AND carrier = ? AND msg_key IN (SELECT value FROM json_each(?))`,
  );
  const spanOf = createReferenceSpan(db);

  return async ({ carrier, submittedBefore, deadlineAfter, deadlineUntil, limit }) => {
    const rows = selectSteps.all(deadlineAfter, deadlineUntil, carrier, submittedBefore, limit) as Row[];
    if (rows.length === 0) return [];
    const times = rows.flatMap(row => (row.submitted_at === null ? [] : [Number(row.submitted_at)]));
    const { from, end } = spanOf(Math.min(...times) - GRACE_MS, Math.max(...times) + GRACE_MS);
    const keys = JSON.stringify(rows.map(row => row.msg_key));
    const refs = new Map<string, string>();
    for (let start = from; start < end; start += STRETCH) {
      const found = selectRefs.all(start, Math.min(end, start + STRETCH), carrier, keys) as Row[];
      for (const row of found) refs.set(nameOf(row), String(row.ref));
      await nextTurn();
    }
    return rows.map(row => {
      const ref = refs.get(nameOf(row));
      const isInDoubt = row.state === 'unknown';
      const step = { ...stepKeyOf(row), deadlineAt: Number(row.deadline_at), isInDoubt };
      return ref === undefined ? step : { ...step, ref };
    });
  };
}

function nameOf({ msg_key, step, attempt }: Row): string {
  return `${msg_key as MsgKey}-${step}-${attempt}`;
}
