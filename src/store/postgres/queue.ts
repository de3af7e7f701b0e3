import type { MsgKey } from '../../domain/ids.ts';
import { CLAIMED, READY, WAITING } from '../phase.ts';
import { messageViewOf } from '../rows.ts';
import type { SettleCall } from '../settle-batch.ts';
import type { QueueStore, SettleResult } from '../store.ts';
import type { Database } from './database.ts';
import type { Grouping } from './grouping.ts';
import { Contents, contentsIn, liveStepOf } from './live-steps.ts';
import { MESSAGE_OF_JOB, MESSAGE_VIEW_COLUMNS, REQUEST_OF_MESSAGE } from './messages.ts';
import { receiptOf, settleAll } from './settle.ts';

/** Steps that another node is just claiming are left to it. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT msg_key FROM job
     WHERE owner IS NULL AND carrier = $1 AND due_at <= $2
     ORDER BY due_at, msg_key LIMIT $3
     FOR UPDATE SKIP LOCKED
  ), job AS (
    UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = $4
     WHERE msg_key = ANY (ARRAY(SELECT msg_key FROM due))
    RETURNING *
  )
  SELECT job.*, message.recipient, message.words, request.ref, request.flow
    FROM job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.due_at, job.msg_key`;

/** Jumps from carrier to carrier in the index, and past all the steps that wait for the same one. */
const READY_CARRIERS = `
  WITH RECURSIVE ready AS (
    (SELECT carrier, due_at FROM job WHERE owner IS NULL ORDER BY carrier, due_at LIMIT 1)
    UNION ALL
    SELECT next.carrier, next.due_at FROM ready CROSS JOIN LATERAL (
      SELECT carrier, due_at FROM job WHERE owner IS NULL AND carrier > ready.carrier
       ORDER BY carrier, due_at LIMIT 1
    ) AS next
  )`;

const PEEK = `
  SELECT ${MESSAGE_VIEW_COLUMNS}
    FROM (SELECT * FROM job ORDER BY msg_key LIMIT $1) AS job ${MESSAGE_OF_JOB} ${REQUEST_OF_MESSAGE}
   ORDER BY job.msg_key`;

export function postgresQueue(db: Database, grouping: Grouping, now: () => number): QueueStore {
  const contents = new Contents();
  // One batch at a time, so that an answer is settled before the receipt that came after it.
  const settlements = grouping.group<SettleCall, SettleResult>({
    commit: calls => db.transaction(tx => settleAll(tx, calls, contents, now())),
    sizeOf: ({ events }) => events.length,
  });

  return {
    async claim({ carrier, now: dueBy, limit, owner }) {
      const rows = await db.query(CLAIM, [carrier, dueBy, limit, owner]);
      const claimed = contentsIn(rows);
      contents.keep(claimed);
      return rows.map(row => liveStepOf(row, claimed));
    },
    async carriers() {
      const rows = await db.query(`${READY_CARRIERS} SELECT carrier FROM ready`);
      return rows.map(row => String(row.carrier));
    },
    settle: (events, decide) => settlements.add({ events, decide }),
    async overdue(at, limit) {
      const rows = await db.query(
        `SELECT msg_key, step, attempt FROM job WHERE deadline_at <= $1 ORDER BY deadline_at, msg_key LIMIT $2`,
        [at, limit],
      );
      return rows.map(row => ({
        msgKey: row.msg_key as MsgKey,
        step: Number(row.step),
        attempt: Number(row.attempt),
      }));
    },
    async matchedParked(limit) {
      const rows = await db.query(
        `SELECT * FROM parked_receipt
          WHERE EXISTS (SELECT FROM carrier_ref
                         WHERE carrier_ref.carrier = parked_receipt.carrier AND carrier_ref.ref = parked_receipt.ref)
          ORDER BY id LIMIT $1`,
        [limit],
      );
      return rows.map(row => ({ ...receiptOf(row), wasParked: true }));
    },
    async depth() {
      const [phases, [head]] = await Promise.all([
        db.query('SELECT phase, count(*) AS jobs FROM job GROUP BY phase'),
        db.query(`${READY_CARRIERS} SELECT min(due_at) AS oldest FROM ready`),
      ]);
      const counts = new Map(phases.map(row => [Number(row.phase), Number(row.jobs)]));
      const oldest = head?.oldest ?? null;
      return {
        ready: counts.get(READY) ?? 0,
        claimed: counts.get(CLAIMED) ?? 0,
        waiting: counts.get(WAITING) ?? 0,
        oldestReadyAt: oldest === null ? undefined : Number(oldest),
      };
    },
    async peek(limit) {
      return (await db.query(PEEK, [limit])).map(messageViewOf);
    },
  };
}
