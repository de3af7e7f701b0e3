import { timePrefix } from '../../domain/ids.ts';
import type { RetentionCutoffs, UpkeepStore } from '../port/upkeep-store.ts';
import type { Records } from '../records/records.ts';
import { ageWalk } from './age-walk.ts';
import type { Database, Queryable } from './database.ts';
import { postgresExamination } from './examination.ts';
import { createPartitions, dropPartitions } from './partitions.ts';
import { postgresHoldBack } from './restored.ts';
import { deleteSentEarly, IN_OPEN_BATCH } from './sent-early.ts';
import { removeTexts } from './texts.ts';

/** Rows a sweep deletes from one table at a time. */
const CHUNK = 1000;
/** Open batches a sweep deletes at a time; each holds up to 1000 records. */
const MOST_BATCHES = 10;

// Two nodes may sweep at the same time: each leaves alone what the other has locked.
const EXPIRED_TOKENS = `
  DELETE FROM token WHERE hash = ANY (ARRAY(
    SELECT hash FROM token WHERE expires_at < $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
const OLD_KEYS = `
  DELETE FROM idempotency WHERE (account, key) IN (
    SELECT account, key FROM idempotency WHERE created_at < $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED)`;
const OLD_SENDS = `
  DELETE FROM recent_send WHERE (account, hash) IN (
    SELECT account, hash FROM recent_send WHERE expires_at < $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED)`;
const OLD_PARKED = `
  DELETE FROM parked_receipt WHERE id = ANY (ARRAY(
    SELECT id FROM parked_receipt WHERE received_at < $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
const PARKED_CARRIERS = `
  WITH RECURSIVE found AS (
    (SELECT carrier FROM parked_receipt ORDER BY carrier LIMIT 1)
    UNION ALL
    SELECT next.carrier FROM found CROSS JOIN LATERAL (
      SELECT carrier FROM parked_receipt WHERE carrier > found.carrier ORDER BY carrier LIMIT 1
    ) AS next
  )
  SELECT carrier FROM found`;
const TOO_MANY_PARKED = `
  DELETE FROM parked_receipt WHERE id = ANY (ARRAY(
    SELECT id FROM parked_receipt
     WHERE carrier = $1
       AND id <= (SELECT id FROM parked_receipt WHERE carrier = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)
     ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
const OLD_SET_ASIDE = `
  DELETE FROM set_aside WHERE at < $1 AND id = ANY (ARRAY(
    SELECT id FROM set_aside ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
const OLD_RESENDS = `
  DELETE FROM resend WHERE new_key = ANY (ARRAY(
    SELECT new_key FROM resend WHERE at < $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
/** Deliveries that were not tried to the end, because the webhook was off or its receiver down. */
const GIVEN_UP = `
  UPDATE webhook_delivery SET state = 'failed', owner = NULL, finished_at = give_up_at WHERE (msg_key, step) IN (
    SELECT msg_key, step FROM webhook_delivery WHERE state = 'pending' AND give_up_at < $1
     LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED)`;
const OLD_DELIVERIES = `
  DELETE FROM webhook_delivery WHERE (msg_key, step) IN (
    SELECT msg_key, step FROM webhook_delivery WHERE finished_at < $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED)`;
/** The oldest come first in the index; those of them that are too old are deleted. */
const OLD_UNFETCHED = `
  DELETE FROM report_queue WHERE reported_at < $1 AND batch IS NULL AND seq = ANY (ARRAY(
    SELECT seq FROM report_queue WHERE batch IS NULL ORDER BY seq LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;
const OLD_BATCHES = `
  WITH closed AS (
    DELETE FROM report_batch WHERE account = ANY (ARRAY(
      SELECT account FROM report_batch WHERE created_at < $1 LIMIT ${MOST_BATCHES} FOR UPDATE SKIP LOCKED))
    RETURNING account, report_id)
  DELETE FROM report_queue USING closed
   WHERE report_queue.account = closed.account AND report_queue.batch = closed.report_id`;
/** Dead for a day; a node that comes back adds itself again. */
const DEAD_NODES = `DELETE FROM node WHERE alive_until < clock_timestamp() - interval '1 day'`;

// Most rows go with their partition. These are for what the default partitions hold.
const OLD_REFS = `
  DELETE FROM carrier_ref_default WHERE (carrier, ref, msg_key) IN (
    SELECT carrier, ref, msg_key FROM carrier_ref_default
     WHERE created_at < $1 AND NOT EXISTS (SELECT FROM job WHERE job.msg_key = carrier_ref_default.msg_key)
     LIMIT ${CHUNK})`;
const OLD_MESSAGES = `
  DELETE FROM message_default WHERE msg_key = ANY (ARRAY(
    SELECT msg_key FROM message_default
     WHERE msg_key < $1 AND finished_at < $2 AND msg_key NOT IN (${IN_OPEN_BATCH})
     ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))
  RETURNING msg_key`;
const INDEXED_OF = 'DELETE FROM message_index_default WHERE msg_key = ANY ($1::text[])';
const REPORTS_OF = 'DELETE FROM report WHERE msg_key = ANY ($1::text[])';
const REQUESTS_OF = `
  DELETE FROM request WHERE request_id = ANY ($1::text[])
     AND NOT EXISTS (SELECT FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz')`;

export function postgresUpkeep(db: Database, records: Records, now: () => number): UpkeepStore {
  const walkUnfetched = ageWalk(db, {
    ...{ table: 'report_queue', id: 'seq', at: 'reported_at' },
    condition: 'batch IS NULL',
  });
  const walkSetAside = ageWalk(db, { table: 'set_aside', id: 'id', at: 'at' });
  return {
    examine: postgresExamination(db, now),
    holdBack: postgresHoldBack(db),
    async sweep(cutoffs) {
      await createPartitions(db, cutoffs.now);
      await db.query(OLD_BATCHES, [cutoffs.inquiryBefore]);
      await db.query(DEAD_NODES);
      const deleted = await Promise.all(deletions(db, records, cutoffs));
      const isMoreBehind = await Promise.all([
        walkUnfetched(unfetchedBefore(cutoffs), CHUNK),
        walkSetAside(cutoffs.inquiryBefore, CHUNK),
      ]);
      await dropPartitions(db, cutoffs.inquiryBefore);
      return deleted.some(count => count >= CHUNK) || isMoreBehind.includes(true);
    },
    // An erasure may lock a message and its request the other way round.
    removeTexts: order => db.retrying(() => db.transaction(tx => removeTexts(tx, records, order))),
  };
}

/** A record that cannot be inquired any more cannot be fetched either. */
function unfetchedBefore({ unfetchedBefore: before, inquiryBefore }: RetentionCutoffs): number {
  return Math.max(before, inquiryBefore);
}

function deletions(db: Database, records: Records, cutoffs: RetentionCutoffs): Promise<number>[] {
  const statements: readonly (readonly [string, number])[] = [
    [EXPIRED_TOKENS, cutoffs.tokensBefore],
    [OLD_KEYS, cutoffs.idempotencyBefore],
    [OLD_SENDS, cutoffs.now],
    [OLD_PARKED, cutoffs.parkedBefore],
    [OLD_UNFETCHED, unfetchedBefore(cutoffs)],
    [OLD_REFS, cutoffs.inquiryBefore],
    [OLD_SET_ASIDE, cutoffs.inquiryBefore],
    [OLD_RESENDS, cutoffs.inquiryBefore],
    [GIVEN_UP, cutoffs.giveUpBefore],
    [OLD_DELIVERIES, cutoffs.deliveriesBefore],
  ];
  return [
    ...statements.map(async ([statement, before]) => (await db.query(statement, [before])).count),
    db.transaction(tx => deleteMessages(tx, cutoffs.inquiryBefore)),
    db.transaction(tx => deleteSentEarly(tx, records, cutoffs.inquiryBefore)),
    deleteParked(db, cutoffs.mostParked),
  ];
}

async function deleteParked(db: Database, most: number): Promise<number> {
  let deleted = 0;
  for (const { carrier } of await db.query(PARKED_CARRIERS)) {
    deleted = Math.max(deleted, (await db.query(TOO_MANY_PARKED, [carrier ?? null, most])).count);
  }
  return deleted;
}

async function deleteMessages(tx: Queryable, before: number): Promise<number> {
  const rows = await tx.query(OLD_MESSAGES, [timePrefix(before), before]);
  if (rows.length === 0) return 0;
  const keys = rows.map(row => String(row.msg_key));
  await tx.query(REPORTS_OF, [keys]);
  await tx.query(INDEXED_OF, [keys]);
  await tx.query(REQUESTS_OF, [[...new Set(keys.map(key => key.slice(0, -3)))]]);
  return rows.length;
}
