/** Writes the changes of a settled batch: one statement for each table, pipelined. */

import { PUT_OFF, phaseOf, READY } from '../phase.ts';
import { columnList, columnNames } from '../records/columns.ts';
import { JOB_COLUMNS, QUEUE_COLUMNS, STEP_COLUMNS } from '../records/job-columns.ts';
import { MESSAGE_CHANGE_COLUMNS } from '../records/message-columns.ts';
import { CARRIER_REF_COLUMNS, PARKED_COLUMNS, parkedFieldsOf } from '../records/receipt-columns.ts';
import type { Records } from '../records/records.ts';
import { REPORT_COLUMNS, REPORT_QUEUE_COLUMNS } from '../records/report-columns.ts';
import {
  type JobChange,
  type MessageChange,
  NOT_ENDED,
  type Parking,
  type SettleChanges,
} from '../settle-batch.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import type { Queryable } from './database.ts';
import { IN_DOUBT_OWNER, OWNER_GONE, PUT_OFF_OWNER } from './owners.ts';

const STEP_CHANGES = columnList(STEP_COLUMNS).map(({ name }) => `${name} = now.${name}`);
const CHANGED_STEP = { msgKey: JOB_COLUMNS.msgKey, ...STEP_COLUMNS };

/** Due time and owner are indexed, so they change only when the step enters or leaves the queue, or becomes unknown. */
const UPDATE_JOBS = `
  UPDATE job
     SET ${STEP_CHANGES.join(', ')}, phase = now.phase,
         due_at = CASE WHEN now.phase IN (${READY}, ${PUT_OFF}) THEN now.due_at ELSE job.due_at END,
         owner = CASE WHEN now.phase = ${READY} THEN NULL WHEN now.phase = ${PUT_OFF} THEN '${PUT_OFF_OWNER}'
                      WHEN now.state = 'unknown' THEN '${IN_DOUBT_OWNER}'
                      WHEN job.owner IS NULL OR job.owner IN ('${PUT_OFF_OWNER}', '${IN_DOUBT_OWNER}') THEN '${OWNER_GONE}'
                      ELSE job.owner END
    FROM ${unnest('now', { ...CHANGED_STEP, ...QUEUE_COLUMNS })}
   WHERE job.msg_key = now.msg_key`;

/** The range of the batch's keys limits the look-up to the daily partitions that can have them. */
const UPDATE_MESSAGES = `
  UPDATE message
     SET history = message.history || now.history, state = coalesce(now.state, message.state),
         step = coalesce(now.step, message.step), finished_at = coalesce(now.finished_at, message.finished_at)
    FROM ${unnest('now', MESSAGE_CHANGE_COLUMNS)}
   WHERE message.msg_key = now.msg_key AND message.msg_key BETWEEN :first AND :last`;

export const INSERT_REPORTS = `
  WITH record AS (
    SELECT * FROM ${unnest('record', REPORT_COLUMNS, 'position')}
  ), ledger AS (
    INSERT INTO report (${columnNames(REPORT_COLUMNS)}) SELECT ${columnNames(REPORT_COLUMNS)} FROM record
  )
  INSERT INTO report_queue (${columnNames(REPORT_QUEUE_COLUMNS)})
  SELECT ${columnNames(REPORT_QUEUE_COLUMNS)} FROM record ORDER BY position`;

const INSERT_REFS = `
  INSERT INTO carrier_ref (${columnNames(CARRIER_REF_COLUMNS)})
  SELECT * FROM ${unnest('brought', CARRIER_REF_COLUMNS)}
  ON CONFLICT (carrier, ref, msg_key, part)
    DO UPDATE SET step = excluded.step, attempt = excluded.attempt, created_at = excluded.created_at`;

const UNPARK = 'DELETE FROM parked_receipt WHERE id = ANY ($1::bigint[])';

const PARK = `
  INSERT INTO parked_receipt (${columnNames(PARKED_COLUMNS)})
  SELECT * FROM ${unnest('receipt', PARKED_COLUMNS)}`;

export async function writeChanges(
  tx: Queryable,
  records: Records,
  changes: SettleChanges,
  now: number,
): Promise<void> {
  const { jobs, done, messages, reports, refs, park, unpark } = changes;
  const writes: Promise<unknown>[] = [];
  if (jobs.length > 0) writes.push(updateJobs(tx, jobs, now));
  if (done.length > 0) writes.push(tx.query('DELETE FROM job WHERE msg_key = ANY ($1::text[])', [done]));
  if (messages.length > 0) writes.push(updateMessages(tx, messages));
  if (reports.length > 0) writes.push(tx.query(INSERT_REPORTS, arraysOf('record', REPORT_COLUMNS, reports)));
  if (refs.length > 0) writes.push(tx.query(INSERT_REFS, arraysOf('brought', records.carrierRef, refs)));
  if (unpark.length > 0) writes.push(tx.query(UNPARK, [unpark]));
  if (park.length > 0) writes.push(insertParked(tx, records, park));
  await Promise.all(writes);
}

function updateJobs(tx: Queryable, jobs: readonly JobChange[], now: number) {
  const steps = jobs.map(({ live }) => live);
  const places = jobs.map(({ live, dueAt }) => ({ phase: phaseOf(live.state, dueAt - now), dueAt }));
  return tx.query(UPDATE_JOBS, {
    ...arraysOf('now', CHANGED_STEP, steps),
    ...arraysOf('now', QUEUE_COLUMNS, places),
  });
}

/** Only the history, for callers that change jobs without settling. */
export async function appendHistory(
  tx: Queryable,
  messages: readonly Pick<MessageChange, 'msgKey' | 'history'>[],
): Promise<void> {
  if (messages.length === 0) return;
  await updateMessages(
    tx,
    messages.map(message => ({ ...NOT_ENDED, ...message })),
  );
}

function updateMessages(tx: Queryable, messages: readonly MessageChange[]) {
  const sorted = messages.map(({ msgKey }) => msgKey).sort();
  return tx.query(UPDATE_MESSAGES, {
    ...arraysOf('now', MESSAGE_CHANGE_COLUMNS, messages),
    first: sorted.at(0) ?? null,
    last: sorted.at(-1) ?? null,
  });
}

function insertParked(tx: Queryable, { parked }: Records, receipts: readonly Parking[]) {
  return tx.query(PARK, arraysOf('receipt', parked, receipts.map(parkedFieldsOf)));
}
