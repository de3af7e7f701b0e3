/** What a settled batch changes, one statement for each table, all on their way before the first is answered. */

import type { ReportRecord } from '../../domain/reports/report-record.ts';
import { significantTail } from '../../domain/request/phone-number.ts';
import { formatHistory } from '../history.ts';
import { PUT_OFF, phaseOf, READY } from '../phase.ts';
import type { CarrierRef, JobChange, MessageChange, Receipt, SettleChanges } from '../settle-batch.ts';
import type { Queryable } from './database.ts';
import { IN_DOUBT_OWNER, OWNER_GONE, PUT_OFF_OWNER } from './owners.ts';

/** Due time and owner are indexed: they change only where the step enters or leaves the queue, or doubt. */
const UPDATE_JOBS = `
  UPDATE job
     SET carrier = now.carrier, phase = now.phase, state = now.state, step = now.step, attempt = now.attempt,
         submitted_at = now.submitted_at, deadline_at = now.deadline_at, parts = now.parts,
         claim = now.claim, repeat_until = now.repeat_until,
         due_at = CASE WHEN now.phase IN (${READY}, ${PUT_OFF}) THEN now.due_at ELSE job.due_at END,
         owner = CASE WHEN now.phase = ${READY} THEN NULL WHEN now.phase = ${PUT_OFF} THEN '${PUT_OFF_OWNER}'
                      WHEN now.state = 'unknown' THEN '${IN_DOUBT_OWNER}'
                      WHEN job.owner IS NULL OR job.owner IN ('${PUT_OFF_OWNER}', '${IN_DOUBT_OWNER}') THEN '${OWNER_GONE}'
                      ELSE job.owner END
    FROM unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[], $6::integer[], $7::integer[],
                $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::bigint[])
           AS now (msg_key, carrier, phase, due_at, state, step, attempt, submitted_at, deadline_at, parts, claim,
                   repeat_until)
   WHERE job.msg_key = now.msg_key`;

/** The range of the batch's keys tells which daily partitions to look at. */
const UPDATE_MESSAGES = `
  UPDATE message
     SET history = message.history || now.history, state = coalesce(now.state, message.state),
         step = coalesce(now.step, message.step), finished_at = coalesce(now.finished_at, message.finished_at)
    FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::bigint[])
           AS now (msg_key, history, state, step, finished_at)
   WHERE message.msg_key = now.msg_key AND message.msg_key BETWEEN $6 AND $7`;

const INSERT_REPORTS = `
  WITH record AS (
    SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                         $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::smallint[]) WITH ORDINALITY
      AS record (msg_key, step, account, service_type, msg_type, sent_at, reported_at, report_code, carrier, res_cnt,
                 user_type, ref, is_last, position)
  ), ledger AS (
    INSERT INTO report (msg_key, step, account, service_type, msg_type, sent_at, reported_at, report_code, carrier,
                        res_cnt, user_type, ref, is_last)
    SELECT msg_key, step, account, service_type, msg_type, sent_at, reported_at, report_code, carrier, res_cnt,
           user_type, ref, is_last
      FROM record
  )
  INSERT INTO report_queue (account, msg_key, step, is_last, reported_at)
  SELECT account, msg_key, step, is_last, reported_at FROM record ORDER BY position`;

const INSERT_REFS = `
  INSERT INTO carrier_ref (carrier, ref, msg_key, step, attempt, part, recipient, created_at)
  SELECT *, $8::bigint FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::smallint[],
                                   $7::text[])
  ON CONFLICT (carrier, ref, msg_key, part)
    DO UPDATE SET step = excluded.step, attempt = excluded.attempt, created_at = excluded.created_at`;

const UNPARK = 'DELETE FROM parked_receipt WHERE id = ANY ($1::bigint[])';

const PARK = `
  INSERT INTO parked_receipt (carrier, ref, received_at, look_at, event, recipient, sender, recipient_tail)
  SELECT carrier, ref, received_at, received_at, event, recipient, sender, tail
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
           AS receipt (carrier, ref, received_at, event, recipient, sender, tail)`;

export async function writeChanges(tx: Queryable, changes: SettleChanges, now: number): Promise<void> {
  const { jobs, done, messages, reports, refs, park, unpark } = changes;
  const writes: Promise<unknown>[] = [];
  if (jobs.length > 0) writes.push(updateJobs(tx, jobs, now));
  if (done.length > 0) writes.push(tx.query('DELETE FROM job WHERE msg_key = ANY ($1::text[])', [done]));
  if (messages.length > 0) writes.push(updateMessages(tx, messages));
  if (reports.length > 0) writes.push(insertReports(tx, reports));
  if (refs.length > 0) writes.push(insertRefs(tx, refs, now));
  if (unpark.length > 0) writes.push(tx.query(UNPARK, [unpark]));
  if (park.length > 0) writes.push(insertParked(tx, park));
  await Promise.all(writes);
}

function updateJobs(tx: Queryable, jobs: readonly JobChange[], now: number) {
  return tx.query(UPDATE_JOBS, [
    jobs.map(({ live }) => live.msgKey),
    jobs.map(({ live }) => live.carrier),
    jobs.map(({ live, dueAt }) => phaseOf(live.state, dueAt - now)),
    jobs.map(({ dueAt }) => dueAt),
    jobs.map(({ live }) => live.state),
    jobs.map(({ live }) => live.step),
    jobs.map(({ live }) => live.attempt),
    jobs.map(({ live }) => live.submittedAt ?? null),
    jobs.map(({ live }) => live.deadlineAt),
    jobs.map(({ live }) => live.parts ?? null),
    jobs.map(({ live }) => live.claim ?? null),
    jobs.map(({ live }) => live.repeatUntil ?? null),
  ]);
}

/** History alone, for whoever changes jobs without settling. */
export async function appendHistory(
  tx: Queryable,
  messages: readonly Omit<MessageChange, 'finished'>[],
): Promise<void> {
  if (messages.length === 0) return;
  await updateMessages(
    tx,
    messages.map(message => ({ ...message, finished: undefined })),
  );
}

function updateMessages(tx: Queryable, messages: readonly MessageChange[]) {
  const keys = messages.map(({ msgKey }) => msgKey);
  const sorted = keys.toSorted();
  return tx.query(UPDATE_MESSAGES, [
    keys,
    messages.map(({ history }) => formatHistory(history)),
    messages.map(({ finished }) => finished?.state ?? null),
    messages.map(({ finished }) => finished?.step ?? null),
    messages.map(({ finished }) => finished?.at ?? null),
    sorted.at(0) ?? null,
    sorted.at(-1) ?? null,
  ]);
}

function insertReports(tx: Queryable, reports: readonly ReportRecord[]) {
  return tx.query(INSERT_REPORTS, [
    reports.map(({ msgKey }) => msgKey),
    reports.map(({ step }) => step),
    reports.map(({ account }) => account),
    reports.map(({ serviceType }) => serviceType),
    reports.map(({ msgType }) => msgType),
    reports.map(({ sentAt }) => sentAt ?? null),
    reports.map(({ reportedAt }) => reportedAt),
    reports.map(({ reportCode }) => reportCode),
    reports.map(({ network }) => network ?? null),
    reports.map(({ resCnt }) => resCnt ?? null),
    reports.map(({ userType }) => userType ?? null),
    reports.map(({ ref }) => ref ?? null),
    reports.map(({ isLast }) => (isLast ? 1 : 0)),
  ]);
}

function insertRefs(tx: Queryable, refs: readonly CarrierRef[], now: number) {
  return tx.query(INSERT_REFS, [
    refs.map(({ carrier }) => carrier),
    refs.map(({ ref }) => ref),
    refs.map(({ msgKey }) => msgKey),
    refs.map(({ step }) => step),
    refs.map(({ attempt }) => attempt),
    refs.map(({ part }) => part),
    refs.map(({ to }) => to),
    now,
  ]);
}

function insertParked(tx: Queryable, receipts: readonly Receipt[]) {
  return tx.query(PARK, [
    receipts.map(({ carrier }) => carrier),
    receipts.map(({ ref }) => ref),
    receipts.map(({ receivedAt }) => receivedAt),
    receipts.map(({ event }) => JSON.stringify(event)),
    receipts.map(({ to }) => to ?? null),
    receipts.map(({ from }) => from ?? null),
    receipts.map(({ to }) => (to === undefined ? null : (significantTail(to) ?? null))),
  ]);
}
