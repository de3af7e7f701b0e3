import type { Flow } from '../../domain/flow.ts';
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import type { StepState } from '../../domain/lifecycle.ts';
import type { ReportCode } from '../../domain/report-codes.ts';
import type { LiveStep } from '../../domain/settlement.ts';
import { formatHistory, parseHistory } from '../history.ts';
import { CLAIMED, phaseOf, READY, WAITING } from '../phase.ts';
import {
  type CarrierRef,
  endedAs,
  type Receipt,
  refKey,
  type SettleChanges,
  settleBatch,
  stepKey,
} from '../settle-batch.ts';
import type { ClaimOrder, Decide, QueueEvent, QueueStore, SettleResult } from '../store.ts';
import type { Database, Row } from './database.ts';
import { MESSAGE_VIEW, messageViewOf } from './messages.ts';

/** Beyond this, steps are read from disk again; a silent message may wait for days. */
const MOST_IN_HAND = 50_000;

const LIVE_STEP = `
  SELECT job.*, message.recipient, request.ref, request.flow
    FROM job
    JOIN message ON message.msg_key = job.msg_key
    JOIN request ON request.request_id = substr(job.msg_key, 1, 29)`;

export function sqliteQueue(db: Database, now: () => number): QueueStore {
  const selectReady = db.prepare(
    `${LIVE_STEP} WHERE phase = ${READY} AND carrier = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
  );
  const claimJob = db.prepare(
    `UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = ?, owner = ? WHERE msg_key = ?`,
  );
  const selectLive = db.prepare(`${LIVE_STEP} WHERE job.msg_key = ?`);
  const selectRef = db.prepare(
    'SELECT msg_key, step, attempt FROM carrier_ref WHERE carrier = ? AND ref = ?',
  );
  const hasParked = db.prepare('SELECT EXISTS (SELECT 1 FROM parked_receipt) AS found');
  const selectParked = db.prepare(
    'SELECT received_at, event FROM parked_receipt WHERE carrier = ? AND ref = ? ORDER BY id',
  );
  const selectEnded = db.prepare(
    `SELECT report_code, history FROM report JOIN message USING (msg_key) WHERE msg_key = ? AND report.step = ?`,
  );
  const updateJob = db.prepare(
    `UPDATE job SET carrier = ?, phase = ?, due_at = ?, state = ?, step = ?, attempt = ?, submitted_at = ?, deadline_at = ?
      WHERE msg_key = ?`,
  );
  const deleteJob = db.prepare('DELETE FROM job WHERE msg_key = ?');
  const appendHistory = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  const finishMessage = db.prepare(
    'UPDATE message SET history = history || ?, state = ?, step = ?, finished_at = ? WHERE msg_key = ?',
  );
  const insertReport = db.prepare(
    `INSERT INTO report (msg_key, step, account, service_type, msg_type, sent_at, reported_at, report_code, carrier, res_cnt, ref, is_last)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const enqueueReport = db.prepare(
    'INSERT INTO report_queue (account, msg_key, step, is_last, reported_at) VALUES (?, ?, ?, ?, ?)',
  );
  // A reference seen before is a new message's now: some carriers number from one again after a restart.
  const insertRef = db.prepare(
    'INSERT OR REPLACE INTO carrier_ref (carrier, ref, msg_key, step, attempt, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const park = db.prepare(
    'INSERT INTO parked_receipt (carrier, ref, received_at, event) VALUES (?, ?, ?, ?)',
  );
  const unpark = db.prepare('DELETE FROM parked_receipt WHERE carrier = ? AND ref = ?');
  const selectOverdue = db.prepare(
    'SELECT msg_key, step, attempt FROM job WHERE deadline_at <= ? ORDER BY deadline_at LIMIT ?',
  );
  const selectMatched = db.prepare(
    `SELECT parked_receipt.* FROM parked_receipt JOIN carrier_ref USING (carrier, ref) ORDER BY id LIMIT ?`,
  );
  const selectCarriers = db.prepare(`SELECT DISTINCT carrier FROM job WHERE phase = ${READY}`);
  const countPhases = db.prepare('SELECT phase, count(*) AS jobs FROM job GROUP BY phase');
  const selectOldest = db.prepare(`SELECT min(due_at) AS oldest FROM job WHERE phase = ${READY}`);
  const selectPeek = db.prepare(
    `${MESSAGE_VIEW} WHERE job.msg_key IS NOT NULL ORDER BY message.msg_key LIMIT ?`,
  );

  /**
   * Steps that this process has claimed and not finished, as they are on disk. It is the only one that changes jobs,
   * so what it wrote last need not be read again. Dropped when a transaction fails.
   */
  const inHand = new Map<MsgKey, LiveStep>();
  db.onRollback(() => inHand.clear());

  function selectStep(msgKey: MsgKey): LiveStep | undefined {
    const row = selectLive.get(msgKey) as Row | undefined;
    return row && liveStepOf(row);
  }

  function keepInHand(live: LiveStep): void {
    if (inHand.size >= MOST_IN_HAND) inHand.clear();
    inHand.set(live.msgKey, live);
  }

  function claim(order: ClaimOrder): LiveStep[] {
    const rows = selectReady.all(order.carrier, order.now, order.limit) as Row[];
    return rows.map(row => {
      const live = liveStepOf(row);
      const attempt = live.attempt + 1;
      claimJob.run(attempt, order.owner, live.msgKey);
      const claimed: LiveStep = { ...live, state: 'submitting', attempt };
      keepInHand(claimed);
      return claimed;
    });
  }

  function settle(events: readonly QueueEvent[], decide: Decide): SettleResult {
    const context = readContext(events);
    const { changes, results } = settleBatch(context, [{ events, decide }], now());
    writeChanges(changes);
    return results[0] ?? { settled: [], reports: [], enqueued: false };
  }

  function readContext(events: readonly QueueEvent[]) {
    const live = new Map<MsgKey, LiveStep>();
    const refs = new Map<string, CarrierRef>();
    const parked = new Map<string, Receipt[]>();
    const ended = new Map<string, ReportCode>();
    const mayBeParked = (hasParked.get() as Row).found === 1;
    const readLive = (msgKey: MsgKey): LiveStep | undefined => {
      const step = inHand.get(msgKey) ?? live.get(msgKey) ?? selectStep(msgKey);
      if (step) live.set(msgKey, step);
      return step;
    };
    for (const event of events) {
      if (event.kind === 'step') {
        const step = readLive(event.msgKey);
        for (const ref of step && mayBeParked ? (event.refs ?? []) : []) {
          const carrier = step?.carrier ?? '';
          const rows = selectParked.all(carrier, ref) as Row[];
          if (rows.length > 0)
            parked.set(
              refKey(carrier, ref),
              rows.map(row => receiptOf(carrier, ref, row)),
            );
        }
        continue;
      }
      const row = selectRef.get(event.carrier, event.ref) as Row | undefined;
      if (!row) continue;
      const ref = carrierRefOf(event.carrier, event.ref, row);
      refs.set(refKey(event.carrier, event.ref), ref);
      if (readLive(ref.msgKey)?.step === ref.step) continue;
      const report = selectEnded.get(ref.msgKey, ref.step) as Row | undefined;
      if (!report) continue;
      const history = parseHistory(String(report.history));
      ended.set(stepKey(ref.msgKey, ref.step), endedAs(ref.step, report.report_code as ReportCode, history));
    }
    return { live, refs, parked, ended };
  }

  function writeChanges(changes: SettleChanges): void {
    for (const { live, dueAt } of changes.jobs) {
      const { carrier, state, step, attempt, submittedAt, deadlineAt, msgKey } = live;
      updateJob.run(
        carrier,
        phaseOf(state),
        dueAt,
        state,
        step,
        attempt,
        submittedAt ?? null,
        deadlineAt,
        msgKey,
      );
      keepInHand(live);
    }
    for (const msgKey of changes.done) {
      deleteJob.run(msgKey);
      inHand.delete(msgKey);
    }
    for (const { msgKey, history, finished } of changes.messages) {
      const lines = formatHistory(history);
      if (finished) finishMessage.run(lines, finished.state, finished.step, finished.at, msgKey);
      else appendHistory.run(lines, msgKey);
    }
    for (const r of changes.reports) {
      insertReport.run(
        ...[
          r.msgKey,
          r.step,
          r.account,
          r.serviceType,
          r.msgType,
          r.sentAt ?? null,
          r.reportedAt,
          r.reportCode,
        ],
        ...[r.carrier ?? null, r.resCnt ?? null, r.ref ?? null, r.isLast ? 1 : 0],
      );
      enqueueReport.run(r.account, r.msgKey, r.step, r.isLast ? 1 : 0, r.reportedAt);
    }
    for (const { carrier, ref, msgKey, step, attempt } of changes.refs) {
      insertRef.run(carrier, ref, msgKey, step, attempt, now());
    }
    for (const { carrier, ref } of changes.unpark) unpark.run(carrier, ref);
    for (const { carrier, ref, receivedAt, event } of changes.park) {
      park.run(carrier, ref, receivedAt, JSON.stringify(event));
    }
  }

  return {
    claim: order => db.write(() => claim(order)),
    async carriers() {
      return (selectCarriers.all() as Row[]).map(row => String(row.carrier));
    },
    settle: (events, decide) => db.write(() => settle(events, decide)),
    async overdue(at, limit) {
      return (selectOverdue.all(at, limit) as Row[]).map(row => ({
        msgKey: row.msg_key as MsgKey,
        step: Number(row.step),
        attempt: Number(row.attempt),
      }));
    },
    async matchedParked(limit) {
      const rows = selectMatched.all(limit) as Row[];
      return rows.map(row => ({ ...receiptOf(String(row.carrier), String(row.ref), row), wasParked: true }));
    },
    async depth() {
      const counts = new Map((countPhases.all() as Row[]).map(row => [Number(row.phase), Number(row.jobs)]));
      const { oldest } = selectOldest.get() as Row;
      return {
        ready: counts.get(READY) ?? 0,
        claimed: counts.get(CLAIMED) ?? 0,
        waiting: counts.get(WAITING) ?? 0,
        oldestReadyAt: oldest === null ? undefined : Number(oldest),
      };
    },
    async peek(limit) {
      return (selectPeek.all(limit) as Row[]).map(messageViewOf);
    },
  };
}

function liveStepOf(row: Row): LiveStep {
  return {
    msgKey: row.msg_key as MsgKey,
    account: row.account as AccountId,
    to: String(row.recipient),
    ref: row.ref === null ? undefined : String(row.ref),
    flow: JSON.parse(String(row.flow)) as Flow,
    step: Number(row.step),
    state: row.state as StepState,
    attempt: Number(row.attempt),
    carrier: String(row.carrier),
    submittedAt: row.submitted_at === null ? undefined : Number(row.submitted_at),
    deadlineAt: Number(row.deadline_at),
  };
}

function carrierRefOf(carrier: string, ref: string, row: Row): CarrierRef {
  const { msg_key, step, attempt } = row;
  return { carrier, ref, msgKey: msg_key as MsgKey, step: Number(step), attempt: Number(attempt) };
}

function receiptOf(carrier: string, ref: string, row: Row): Receipt {
  const event = JSON.parse(String(row.event)) as Receipt['event'];
  return { kind: 'receipt', carrier, ref, event, receivedAt: Number(row.received_at) };
}
