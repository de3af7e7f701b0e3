import type { LiveStep } from '../../domain/settlement.ts';
import { CLAIMED, READY } from '../phase.ts';
import { messageViewOf } from '../rows.ts';
import type { ClaimOrder, QueueStore } from '../store.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import { LIVE_STEP, type LiveSteps, liveStepOf } from './live-steps.ts';
import { MESSAGE_VIEW } from './messages.ts';
import { overdueReader } from './overdue.ts';
import { queueHeads } from './queue-heads.ts';
import { receiptOf, type SettleInTransaction } from './settle.ts';

export function sqliteQueue(
  db: Database,
  steps: LiveSteps,
  counts: JobCounts,
  settle: SettleInTransaction,
): QueueStore {
  const heads = queueHeads(db);
  const selectReady = db.prepare(
    `${LIVE_STEP} WHERE phase = ${READY} AND carrier = ? AND job.account = ? AND rank = ? AND due_at <= ?
      ORDER BY due_at LIMIT ?`,
  );
  const claimJob = db.prepare(
    `UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = ?, owner = ? WHERE msg_key = ?`,
  );
  const readOverdue = overdueReader(db, heads);
  const selectMatched = db.prepare(
    `SELECT * FROM parked_receipt
      WHERE EXISTS (SELECT 1 FROM carrier_ref
                     WHERE carrier_ref.carrier = parked_receipt.carrier AND carrier_ref.ref = parked_receipt.ref)
      ORDER BY id LIMIT ?`,
  );
  const selectRecipients = db.prepare(
    'SELECT recipient FROM carrier_ref WHERE carrier = ? AND ref = ? ORDER BY id DESC LIMIT 1000',
  );
  const selectPeek = db.prepare(
    `${MESSAGE_VIEW} WHERE job.msg_key IS NOT NULL ORDER BY message.msg_key LIMIT ?`,
  );

  function claim(order: ClaimOrder): LiveStep[] {
    const rows = order.shares.flatMap(({ account, ranks, limit }) => {
      const turn: Row[] = [];
      for (const rank of ranks) {
        if (turn.length >= limit) break;
        turn.push(
          ...(selectReady.all(order.carrier, account, rank, order.now, limit - turn.length) as Row[]),
        );
      }
      return turn;
    });
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
    waiting: async query => heads.waiting(query),
    carriers: async () => heads.carriers(),
    overdue: async (at, limit) => readOverdue(at, limit),
    async matchedParked(limit) {
      const rows = selectMatched.all(limit) as Row[];
      return rows.map(row => receiptOf(String(row.carrier), String(row.ref), row));
    },
    async knownRefs(carrier, refs) {
      const known = new Map<string, string[]>();
      for (const ref of new Set(refs)) {
        const rows = selectRecipients.all(carrier, ref) as Row[];
        if (rows.length > 0)
          known.set(
            ref,
            rows.map(({ recipient }) => String(recipient)),
          );
      }
      return known;
    },
    async depth() {
      const oldest = new Map<string, number>();
      for (const { carrier, dueAt } of heads.all()) {
        oldest.set(carrier, Math.min(dueAt, oldest.get(carrier) ?? dueAt));
      }
      const oldestReadyAt = oldest.size > 0 ? Math.min(...oldest.values()) : undefined;
      return { ...counts.read(), oldestReadyAt, heads: oldest };
    },
    async peek(limit) {
      return (selectPeek.all(limit) as Row[]).map(messageViewOf);
    },
  };
}
