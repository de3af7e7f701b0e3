import type { LiveStep } from '../../domain/settlement.ts';
import { CLAIMED, READY } from '../phase.ts';
import { messageViewOf } from '../rows.ts';
import type { ClaimOrder, QueueStore } from '../store.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import { LIVE_STEP, type LiveSteps, liveStepOf } from './live-steps.ts';
import { MESSAGE_VIEW } from './messages.ts';
import { overdueReader } from './overdue.ts';
import { receiptOf, type SettleInTransaction } from './settle.ts';
import { WAITING_CARRIERS } from './waiting-carriers.ts';

export function sqliteQueue(
  db: Database,
  steps: LiveSteps,
  counts: JobCounts,
  settle: SettleInTransaction,
): QueueStore {
  const selectReady = db.prepare(
    `${LIVE_STEP} WHERE phase = ${READY} AND carrier = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
  );
  const claimJob = db.prepare(
    `UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = ?, owner = ? WHERE msg_key = ?`,
  );
  const readOverdue = overdueReader(db);
  const selectMatched = db.prepare(
    'SELECT parked_receipt.* FROM parked_receipt JOIN carrier_ref USING (carrier, ref) ORDER BY id LIMIT ?',
  );
  const selectCarriers = db.prepare(WAITING_CARRIERS);
  const selectPeek = db.prepare(
    `${MESSAGE_VIEW} WHERE job.msg_key IS NOT NULL ORDER BY message.msg_key LIMIT ?`,
  );

  function claim(order: ClaimOrder): LiveStep[] {
    const rows = selectReady.all(order.carrier, order.now, order.limit) as Row[];
    counts.move(rows.length, READY, CLAIMED);
    return rows.map(row => {
      const live = liveStepOf(row);
      const attempt = live.attempt + 1;
      claimJob.run(attempt, order.owner, live.msgKey);
      const claimed: LiveStep = { ...live, state: 'submitting', attempt };
      steps.keep(claimed);
      return claimed;
    });
  }

  return {
    claim: order => db.write(() => claim(order)),
    settle: (events, decide) => db.write(() => settle(events, decide)),
    async carriers() {
      return (selectCarriers.all() as Row[]).map(row => String(row.carrier));
    },
    overdue: async (at, limit) => readOverdue(at, limit),
    async matchedParked(limit) {
      const rows = selectMatched.all(limit) as Row[];
      return rows.map(row => ({ ...receiptOf(String(row.carrier), String(row.ref), row), wasParked: true }));
    },
    async depth() {
      const oldest = (selectCarriers.all() as Row[]).map(row => Number(row.oldest));
      return { ...counts.read(), oldestReadyAt: oldest.length > 0 ? Math.min(...oldest) : undefined };
    },
    async peek(limit) {
      return (selectPeek.all(limit) as Row[]).map(messageViewOf);
    },
  };
}
