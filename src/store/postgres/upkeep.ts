import { timePrefix } from '../../domain/ids.ts';
import type { RetentionCutoffs, Sweeps, UpkeepStore } from '../port/upkeep-store.ts';
import { isPushed } from '../pushed.ts';
import type { Records } from '../records/records.ts';
import { FIND_RESTORE } from '../restored.ts';
import type { Tables } from '../tables/tables.ts';
import { removeTexts } from '../tables/texts.ts';
import { ageWalk, stretchWalk } from './age-walk.ts';
import type { Database, Queryable } from './database.ts';
import { postgresExamination } from './examination.ts';
import { keyWalks } from './key-walks.ts';
import { createPartitions, dropPartitions } from './partitions.ts';
import { postgresHoldBack } from './restored.ts';
import { deleteSentEarly, isInBatch } from './sent-early.ts';

/** Rows a sweep deletes from one table at a time. */
const CHUNK = 1000;
/** Open batches a sweep deletes at a time; each holds up to 1000 records. */
const MOST_BATCHES = 10;
/** Runs without a try to make or drop partitions, after a lock was not to be had many times: about an hour. */
const MOST_RESTS = 60;

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
     WHERE msg_key > $1 AND msg_key <= $2 AND finished_at < $3 AND NOT ${isInBatch('message_default.msg_key')}
       AND NOT ${isPushed('message_default.msg_key')}
     ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))
  RETURNING msg_key`;
const INDEXED_OF = 'DELETE FROM message_index_default WHERE msg_key = ANY ($1::text[])';
const REPORTS_OF = 'DELETE FROM report WHERE msg_key = ANY ($1::text[])';
const REQUESTS_OF = `
  DELETE FROM request WHERE request_id = ANY ($1::text[])
     AND NOT EXISTS (SELECT FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz')`;

export function postgresUpkeep(db: Database, tables: Tables, records: Records): UpkeepStore {
  const walkUnfetched = ageWalk(db, {
    ...{ table: 'report_queue', id: 'seq', at: 'reported_at' },
    condition: 'batch IS NULL',
  });
  const walks = keyWalks(db);
  const dropDays = withRests((before: number) => dropPartitions(db, before));
  const walkMessages = stretchWalk(db, { table: 'message_default', id: 'msg_key', first: '' });
  const walkSetAside = ageWalk(db, { table: 'set_aside', id: 'id', at: 'at' });
  return {
    examine: postgresExamination(db),
    holdBack: postgresHoldBack(db),
    async restoredAt() {
      const [row] = await db.query(FIND_RESTORE);
      return row && Number(row.value);
    },
    makeDays: withRests(now => createPartitions(db, now)),
    sweeps: cutoffs => ({
      async partitions() {
        await dropDays(cutoffs.inquiryBefore);
        return false;
      },
      ...statementsOf(cutoffs),
      batches: async () => (await db.query(OLD_BATCHES, [cutoffs.inquiryBefore])).count > 0,
      'dead nodes': async () => {
        await db.query(DEAD_NODES);
        return false;
      },
      messages: () =>
        walkMessages(timePrefix(cutoffs.inquiryBefore), CHUNK, (after, last) =>
          db.transaction(tx => deleteMessages(tx, [after, last, cutoffs.inquiryBefore])),
        ),
      'messages sent early': () => db.transaction(tx => deleteSentEarly(tx, records, cutoffs.inquiryBefore)),
      'surplus of parked receipts': () => deleteParked(db, cutoffs.mostParked),
      'unfetched records behind others': () => walkUnfetched(unfetchedBefore(cutoffs), CHUNK),
      'set aside behind others': () => walkSetAside(cutoffs.inquiryBefore, CHUNK),
    }),
    async removeTexts(order) {
      await walks.promise('texts', timePrefix(order.acceptedBefore));
      const work = () => removeTexts(records, order, CHUNK, walks);
      return (await tables.write(undefined, undefined, work)).isMore;
    },
  };

  function statementsOf(cutoffs: RetentionCutoffs): Sweeps {
    const statements: Readonly<Record<string, readonly [string, number]>> = {
      tokens: [EXPIRED_TOKENS, cutoffs.tokensBefore],
      'idempotency keys': [OLD_KEYS, cutoffs.idempotencyBefore],
      'recent sends': [OLD_SENDS, cutoffs.now],
      'parked receipts': [OLD_PARKED, cutoffs.parkedBefore],
      'unfetched records': [OLD_UNFETCHED, unfetchedBefore(cutoffs)],
      references: [OLD_REFS, cutoffs.inquiryBefore],
      'set aside': [OLD_SET_ASIDE, cutoffs.inquiryBefore],
      resends: [OLD_RESENDS, cutoffs.inquiryBefore],
      'deliveries given up': [GIVEN_UP, cutoffs.giveUpBefore],
      deliveries: [OLD_DELIVERIES, cutoffs.deliveriesBefore],
    };
    const parts = Object.entries(statements).map(([name, [statement, before]]) => [
      name,
      async () => (await db.query(statement, [before])).count >= CHUNK,
    ]);
    return Object.fromEntries(parts);
  }
}

/** An attempt that resolves to false becomes rare: somebody holds a lock for long, such as a backup. */
function withRests(attempt: (at: number) => Promise<boolean>): (at: number) => Promise<void> {
  let failedRounds = 0;
  let restsLeft = 0;
  return async at => {
    if (restsLeft-- > 0) return;
    failedRounds = (await attempt(at)) ? 0 : failedRounds + 1;
    restsLeft = Math.min(2 ** failedRounds - 1, MOST_RESTS);
  };
}

/** A record that cannot be inquired any more cannot be fetched either. */
function unfetchedBefore({ unfetchedBefore: before, inquiryBefore }: RetentionCutoffs): number {
  return Math.max(before, inquiryBefore);
}

async function deleteParked(db: Database, most: number): Promise<boolean> {
  let deleted = 0;
  for (const { carrier } of await db.query(PARKED_CARRIERS)) {
    deleted = Math.max(deleted, (await db.query(TOO_MANY_PARKED, [carrier ?? null, most])).count);
  }
  return deleted >= CHUNK;
}

async function deleteMessages(tx: Queryable, order: readonly (string | number)[]): Promise<number> {
  const rows = await tx.query(OLD_MESSAGES, order);
  if (rows.length === 0) return 0;
  const keys = rows.map(row => String(row.msg_key));
  await tx.query(REPORTS_OF, [keys]);
  await tx.query(INDEXED_OF, [keys]);
  await tx.query(REQUESTS_OF, [[...new Set(keys.map(key => key.slice(0, -3)))]]);
  return rows.length;
}
