/** Settling on SQLite: read what the events refer to, decide, write; row by row, since a statement costs little here. */

import type { LiveStep } from '../../domain/delivery/settlement.ts';
import type { MsgKey } from '../../domain/ids.ts';
import type { ReportRecord } from '../../domain/reports/report-record.ts';
import type { Receipt } from '../event-target.ts';
import { formatHistory } from '../history.ts';
import { ASIDE_CHANGES, phaseOf } from '../phase.ts';
import type { Decide, QueueEvent, SettleResult, StepKey } from '../port/queue-store.ts';
import { columnList, columnNames, writerOf } from '../records/columns.ts';
import { STEP_COLUMNS } from '../records/job-columns.ts';
import { parkedFieldsOf, REF_TARGET_COLUMNS } from '../records/receipt-columns.ts';
import type { Records } from '../records/records.ts';
import { REPORT_COLUMNS, REPORT_QUEUE_COLUMNS } from '../records/report-columns.ts';
import {
  type EndedStep,
  endedStepOf,
  type RefTarget,
  refKey,
  type SettleChanges,
  type SettleContext,
  settleBatch,
  stepKey,
} from '../settle-batch.ts';
import { StoreFault } from '../store-fault.ts';
import type { Database, Row } from './database.ts';
import { inserter, listInserter } from './inserter.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';

/** A carrier that gives every message the same reference must not make every receipt slow. */
const MOST_OF_ONE_REF = 1000;

/** Must be called inside a transaction. */
export type SettleInTransaction = (events: readonly QueueEvent[], decide: Decide) => SettleResult;

export function sqliteSettle(
  db: Database,
  records: Records,
  steps: LiveSteps,
  counts: JobCounts,
  now: () => number,
): SettleInTransaction {
  const readContext = contextReader(db, records, steps, counts);
  const writeChanges = changesWriter(db, records, steps, counts);
  return (events, decide) => {
    const at = now();
    const context = readContext(events);
    const { changes, results } = settleBatch(context, [{ events, decide }], at);
    writeChanges(changes, context, at);
    return results[0] ?? { settled: [], reports: [], late: [], enqueued: false };
  };
}

function contextReader(
  db: Database,
  { parkedReceiptOf, refTargetOf, unreadable: aside }: Records,
  steps: LiveSteps,
  counts: JobCounts,
): (events: readonly QueueEvent[]) => SettleContext {
  const selectRefs = db.prepare(
    `SELECT carrier, ref, ${columnNames(REF_TARGET_COLUMNS)} FROM carrier_ref
      WHERE carrier = ? AND ref = ? ORDER BY id DESC LIMIT ${MOST_OF_ONE_REF}`,
  );
  const leaveAside = db.prepare(`UPDATE job SET ${ASIDE_CHANGES} WHERE msg_key = ?`);
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
    const unreadable = new Set<MsgKey>();
    const refs = new Map<string, RefTarget[]>();
    const parked = new Map<string, Receipt[]>();
    const ended = new Map<string, EndedStep>();
    const mayBeParked = (hasParked.get() as Row).found === 1;
    for (const event of events) {
      if (event.kind === 'receipt') readReceipt(event);
      else readAnswer(event);
    }
    return { live, unreadable, refs, parked, ended };

    function readLive(msgKey: MsgKey): LiveStep | undefined {
      if (unreadable.has(msgKey)) return undefined;
      try {
        const step = live.get(msgKey) ?? steps.find(msgKey);
        if (step) live.set(msgKey, step);
        return step;
      } catch (error) {
        if (error instanceof StoreFault) throw error;
        unreadable.add(msgKey);
        aside.report('message', { msg_key: msgKey }, error);
        leaveAside.run(msgKey);
        counts.recount();
        return undefined;
      }
    }

    function readAnswer(answer: Extract<QueueEvent, { kind: 'step' }>): void {
      const { carrier, refs: brought } = answer;
      readLive(answer.msgKey);
      if (carrier === undefined || brought === undefined) return;
      // It may come so late that its step is over.
      readTarget(answer);
      if (!mayBeParked) return;
      for (const ref of brought) {
        if (ref === undefined) continue;
        const rows = selectParked.all(carrier, ref) as Row[];
        const receipts = aside.each('parked_receipt', rows, parkedReceiptOf);
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
      const known = rows.map(refTargetOf).reverse();
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

function changesWriter(db: Database, records: Records, steps: LiveSteps, counts: JobCounts) {
  const changes = columnList(STEP_COLUMNS).map(({ name }) => `${name} = ?`);
  const updateJob = db.prepare(
    `UPDATE job SET ${changes.join(', ')}, phase = ?, due_at = ? WHERE msg_key = ?`,
  );
  const stepValuesOf = writerOf(STEP_COLUMNS);
  const selectPhase = db.prepare('SELECT phase FROM job WHERE msg_key = ?');
  const deleteJob = db.prepare('DELETE FROM job WHERE msg_key = ?');
  const appendHistory = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  const finishMessage = db.prepare(
    'UPDATE message SET history = history || ?, state = ?, step = ?, finished_at = ? WHERE msg_key = ?',
  );
  const insertRefs = listInserter(db, 'carrier_ref', records.carrierRef);
  const park = inserter(db, 'parked_receipt', records.parked);
  const unpark = db.prepare('DELETE FROM parked_receipt WHERE id = ?');
  const writeReports = reportWriter(db);

  return (changes: SettleChanges, context: SettleContext, at: number): void => {
    const phaseBefore = (msgKey: MsgKey): number | undefined => {
      const before = context.live.get(msgKey);
      if (!before) return undefined;
      // Only its row says whether it was ready or put off.
      const isInQueue = before.state === 'queued' || before.state === 'retrying';
      return isInQueue ? Number((selectPhase.get(msgKey) as Row).phase) : phaseOf(before.state, 0);
    };
    for (const { live, dueAt } of changes.jobs) {
      const phase = phaseOf(live.state, dueAt - at);
      const before = phaseBefore(live.msgKey);
      updateJob.run(...stepValuesOf(live), phase, dueAt, live.msgKey);
      steps.keep(live);
      counts.move(1, before, phase);
    }
    for (const msgKey of changes.done) {
      counts.move(1, phaseBefore(msgKey), undefined);
      deleteJob.run(msgKey);
      steps.forget(msgKey);
    }
    for (const { msgKey, history, state, step, finishedAt } of changes.messages) {
      const lines = formatHistory(history);
      if (state !== undefined) finishMessage.run(lines, state, step ?? null, finishedAt ?? null, msgKey);
      else appendHistory.run(lines, msgKey);
    }
    writeReports(changes.reports);
    insertRefs(changes.refs);
    for (const id of changes.unpark) unpark.run(id);
    for (const receipt of changes.park) park(parkedFieldsOf(receipt));
  };
}

/** Into the ledger, and into the queue of what has not been fetched. */
export function reportWriter(db: Database): (reports: readonly ReportRecord[]) => void {
  const insert = listInserter(db, 'report', REPORT_COLUMNS);
  const enqueue = listInserter(db, 'report_queue', REPORT_QUEUE_COLUMNS);
  return reports => {
    insert(reports);
    enqueue(reports);
  };
}
