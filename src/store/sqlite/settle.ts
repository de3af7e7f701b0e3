/** Settling on SQLite: read what the events refer to, decide, write; row by row, since a statement costs little here. */

import type { LiveStep } from '../../domain/delivery/settlement.ts';
import type { MsgKey } from '../../domain/ids.ts';
import type { ReportRecord } from '../../domain/reports/report-record.ts';
import { significantTail } from '../../domain/request/phone-number.ts';
import { formatHistory } from '../history.ts';
import { phaseOf } from '../phase.ts';
import type { Decide, ParkedReceipt, QueueEvent, SettleResult, StepKey } from '../port/queue-store.ts';
import { endedStepOf } from '../rows.ts';
import {
  type CarrierRef,
  type EndedStep,
  type Receipt,
  refKey,
  type SettleChanges,
  type SettleContext,
  settleBatch,
  stepKey,
} from '../settle-batch.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';

/** A carrier that gives every message the same reference must not make every receipt slow. */
const MOST_OF_ONE_REF = 1000;

/** Must be called inside a transaction. */
export type SettleInTransaction = (events: readonly QueueEvent[], decide: Decide) => SettleResult;

export function sqliteSettle(
  db: Database,
  steps: LiveSteps,
  counts: JobCounts,
  now: () => number,
): SettleInTransaction {
  const readContext = contextReader(db, steps);
  const writeChanges = changesWriter(db, steps, counts, now);
  return (events, decide) => {
    const context = readContext(events);
    const { changes, results } = settleBatch(context, [{ events, decide }], now());
    writeChanges(changes, context);
    return results[0] ?? { settled: [], reports: [], late: [], enqueued: false };
  };
}

function contextReader(db: Database, steps: LiveSteps): (events: readonly QueueEvent[]) => SettleContext {
  const selectRefs = db.prepare(
    `SELECT msg_key, step, attempt, part, recipient FROM carrier_ref
      WHERE carrier = ? AND ref = ? ORDER BY id DESC LIMIT ${MOST_OF_ONE_REF}`,
  );
  const hasParked = db.prepare('SELECT EXISTS (SELECT 1 FROM parked_receipt) AS found');
  const selectParked = db.prepare('SELECT * FROM parked_receipt WHERE carrier = ? AND ref = ? ORDER BY id');
  const selectEnded = db.prepare(
    `SELECT report.*, message.history, request.tells_late
       FROM report
       JOIN message USING (msg_key)
       JOIN request ON request.request_id = substr(report.msg_key, 1, 29)
      WHERE report.msg_key = ? AND report.step = ?`,
  );

  return events => {
    const live = new Map<MsgKey, LiveStep>();
    const refs = new Map<string, CarrierRef[]>();
    const parked = new Map<string, Receipt[]>();
    const ended = new Map<string, EndedStep>();
    const mayBeParked = (hasParked.get() as Row).found === 1;
    for (const event of events) {
      if (event.kind === 'receipt') readReceipt(event);
      else readAnswer(event);
    }
    return { live, refs, parked, ended };

    function readLive(msgKey: MsgKey): LiveStep | undefined {
      const step = live.get(msgKey) ?? steps.find(msgKey);
      if (step) live.set(msgKey, step);
      return step;
    }

    function readAnswer(answer: Extract<QueueEvent, { kind: 'step' }>): void {
      const { carrier, refs: brought } = answer;
      readLive(answer.msgKey);
      if (carrier === undefined || brought === undefined || !mayBeParked) return;
      // It may come so late that its step is over, and bring the reference of a receipt that is parked.
      readTarget(answer);
      for (const ref of brought) {
        if (ref === undefined) continue;
        const rows = selectParked.all(carrier, ref) as Row[];
        const receipts = rows.map(receiptOf);
        if (receipts.length > 0) parked.set(refKey(carrier, ref), receipts);
      }
    }

    function readReceipt({ carrier, ref: name, about }: Receipt): void {
      if (about) {
        readTarget(about);
        return;
      }
      const rows = selectRefs.all(carrier, name) as Row[];
      if (rows.length === 0) return;
      const known = rows.map(row => carrierRefOf(carrier, name, row)).reverse();
      refs.set(refKey(carrier, name), known);
      for (const ref of known) readTarget(ref);
    }

    function readTarget(ref: StepKey): void {
      if (readLive(ref.msgKey)?.step === ref.step) return;
      const report = selectEnded.get(ref.msgKey, ref.step) as Row | undefined;
      if (report) ended.set(stepKey(ref.msgKey, ref.step), endedStepOf(report));
    }
  };
}

function changesWriter(db: Database, steps: LiveSteps, counts: JobCounts, now: () => number) {
  const updateJob = db.prepare(
    `UPDATE job SET carrier = ?, phase = ?, due_at = ?, state = ?, step = ?, attempt = ?, submitted_at = ?, deadline_at = ?,
            parts = ?, claim = ?, repeat_until = ?
      WHERE msg_key = ?`,
  );
  const selectPhase = db.prepare('SELECT phase FROM job WHERE msg_key = ?');
  const deleteJob = db.prepare('DELETE FROM job WHERE msg_key = ?');
  const appendHistory = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  const finishMessage = db.prepare(
    'UPDATE message SET history = history || ?, state = ?, step = ?, finished_at = ? WHERE msg_key = ?',
  );
  const insertRef = db.prepare(
    'INSERT INTO carrier_ref (carrier, ref, msg_key, step, attempt, part, recipient, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const park = db.prepare(
    `INSERT INTO parked_receipt (carrier, ref, received_at, look_at, event, recipient, sender, recipient_tail)
     VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)`,
  );
  const unpark = db.prepare('DELETE FROM parked_receipt WHERE id = ?');
  const writeReport = reportWriter(db);

  return (changes: SettleChanges, context: SettleContext): void => {
    const at = now();
    const phaseBefore = (msgKey: MsgKey): number | undefined => {
      const before = context.live.get(msgKey);
      if (!before) return undefined;
      // Whether it was ready or put off, only its row tells.
      const isInQueue = before.state === 'queued' || before.state === 'retrying';
      return isInQueue ? Number((selectPhase.get(msgKey) as Row).phase) : phaseOf(before.state, 0);
    };
    for (const { live, dueAt } of changes.jobs) {
      const { carrier, state, step, attempt, submittedAt, deadlineAt, parts, msgKey } = live;
      const phase = phaseOf(state, dueAt - at);
      const before = phaseBefore(msgKey);
      const position = [carrier, phase, dueAt, state, step, attempt, submittedAt ?? null, deadlineAt];
      updateJob.run(...position, parts ?? null, live.claim ?? null, live.repeatUntil ?? null, msgKey);
      steps.keep(live);
      counts.move(1, before, phase);
    }
    for (const msgKey of changes.done) {
      counts.move(1, phaseBefore(msgKey), undefined);
      deleteJob.run(msgKey);
      steps.forget(msgKey);
    }
    for (const { msgKey, history, finished } of changes.messages) {
      const lines = formatHistory(history);
      if (finished) finishMessage.run(lines, finished.state, finished.step, finished.at, msgKey);
      else appendHistory.run(lines, msgKey);
    }
    for (const report of changes.reports) writeReport(report);
    for (const { carrier, ref, msgKey, step, attempt, part, to } of changes.refs) {
      insertRef.run(carrier, ref, msgKey, step, attempt, part, to, now());
    }
    for (const id of changes.unpark) unpark.run(id);
    for (const { carrier, ref, receivedAt, event, to, from } of changes.park) {
      const tail = (to === undefined ? undefined : significantTail(to)) ?? null;
      park.run(carrier, ref, receivedAt, JSON.stringify(event), to ?? null, from ?? null, tail);
    }
  };
}

/** Into the ledger, and into the queue of what has not been fetched. */
function reportWriter(db: Database): (report: ReportRecord) => void {
  const insert = db.prepare(
    `INSERT INTO report (msg_key, step, account, service_type, msg_type, sent_at, reported_at, report_code, carrier, res_cnt, user_type, ref, is_last)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const enqueue = db.prepare(
    'INSERT INTO report_queue (account, msg_key, step, is_last, reported_at) VALUES (?, ?, ?, ?, ?)',
  );
  return report => {
    const { msgKey, step, account, serviceType, msgType, reportedAt, reportCode } = report;
    const isLast = report.isLast ? 1 : 0;
    const what = [msgKey, step, account, serviceType, msgType, report.sentAt ?? null, reportedAt, reportCode];
    const told = [report.network ?? null, report.resCnt ?? null, report.userType ?? null, report.ref ?? null];
    insert.run(...what, ...told, isLast);
    enqueue.run(account, msgKey, step, isLast, reportedAt);
  };
}

function carrierRefOf(carrier: string, ref: string, row: Row): CarrierRef {
  return {
    carrier,
    ref,
    msgKey: row.msg_key as MsgKey,
    step: Number(row.step),
    attempt: Number(row.attempt),
    part: Number(row.part),
    to: String(row.recipient),
  };
}

/** A parked receipt. */
export function receiptOf(row: Row): ParkedReceipt {
  const event = JSON.parse(String(row.event)) as Receipt['event'];
  return {
    kind: 'receipt',
    carrier: String(row.carrier),
    ref: String(row.ref),
    event,
    receivedAt: Number(row.received_at),
    parkedId: Number(row.id),
    ...(row.recipient !== null && { to: String(row.recipient) }),
    ...(row.sender !== null && { from: String(row.sender) }),
  };
}
