import { timePrefix } from '../../domain/ids.ts';
import type { RetentionCutoffs, Sweeps, UpkeepStore } from '../port/upkeep-store.ts';
import { isAnyPushed, isPushed } from '../pushed.ts';
import type { Records } from '../records/records.ts';
import { FIND_RESTORE } from '../restored.ts';
import { everyTermOf } from '../search.ts';
import type { Tables } from '../tables/tables.ts';
import { ageWalk, stretchWalk } from './age-walk.ts';
import type { Database, Row } from './database.ts';
import { sqliteExamination } from './examination.ts';
import { sqliteHoldBack } from './restored.ts';
import type { Statement } from './statement.ts';
import { textRemover } from './texts.ts';

/** Rows a sweep deletes from one table at a time, so that it never holds the writer for long. */
const CHUNK = 500;

export function sqliteUpkeep(db: Database, tables: Tables, records: Records): UpkeepStore {
  const expiredTokens = db.prepare(
    'DELETE FROM token WHERE hash IN (SELECT hash FROM token WHERE expires_at < ? LIMIT ?)',
  );
  const oldKeys = db.prepare(
    `DELETE FROM idempotency WHERE (account, key) IN
       (SELECT account, key FROM idempotency WHERE created_at < ? LIMIT ?)`,
  );
  const oldSends = db.prepare(
    `DELETE FROM recent_send WHERE (account, hash) IN
       (SELECT account, hash FROM recent_send WHERE expires_at < ? LIMIT ?)`,
  );
  // The oldest come first; those of them that are too old are deleted.
  const unfetched = db.prepare(
    `DELETE FROM report_queue WHERE reported_at < ?1 AND seq IN
       (SELECT seq FROM report_queue WHERE batch IS NULL ORDER BY seq LIMIT ?2)`,
  );
  const oldBatches =
    db.prepare(`DELETE FROM report_batch WHERE account IN (SELECT account FROM report_batch WHERE created_at < ? LIMIT 10)
     RETURNING account, report_id`);
  const recordsOfBatch = db.prepare('DELETE FROM report_queue WHERE account = ? AND batch = ?');
  const parked = db.prepare(
    'DELETE FROM parked_receipt WHERE id IN (SELECT id FROM parked_receipt WHERE received_at < ? LIMIT ?)',
  );
  const nextParkedCarrier = db.prepare(
    'SELECT min(carrier) AS carrier FROM parked_receipt WHERE carrier > ?',
  );
  const tooManyParked = db.prepare(
    `DELETE FROM parked_receipt WHERE id IN (
       SELECT id FROM parked_receipt
        WHERE carrier = ?1
          AND id <= (SELECT id FROM parked_receipt WHERE carrier = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
        ORDER BY id LIMIT ?3)`,
  );
  const givenUp = db.prepare(
    `UPDATE webhook_delivery SET state = 'failed', owner = NULL, finished_at = give_up_at WHERE (msg_key, step) IN
       (SELECT msg_key, step FROM webhook_delivery
         WHERE state = 'pending' AND give_up_at < ? ORDER BY give_up_at LIMIT ?)`,
  );
  const oldDeliveries = db.prepare(
    `DELETE FROM webhook_delivery WHERE (msg_key, step) IN
       (SELECT msg_key, step FROM webhook_delivery WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`,
  );
  const setAside = db.prepare(
    'DELETE FROM set_aside WHERE id IN (SELECT id FROM set_aside ORDER BY id LIMIT ?2) AND at < ?1',
  );
  const resends = db.prepare(
    'DELETE FROM resend WHERE new_key IN (SELECT new_key FROM resend WHERE at < ? LIMIT ?)',
  );
  const refs = db.prepare(
    `DELETE FROM carrier_ref
      WHERE created_at < ? AND id IN (SELECT id FROM carrier_ref ORDER BY id LIMIT ?)
        AND NOT EXISTS (SELECT 1 FROM job WHERE job.msg_key = carrier_ref.msg_key)`,
  );
  // Keys are ordered by time: what was accepted before a moment is a range. A message still on its way stays, one that is
  // pushed, and one in an open batch: the batch must not change until it is acknowledged. CROSS JOIN keeps the order: the planner would
  // read the whole queue, and look up the batch of each record.
  const deleteOf = (from: string) =>
    db.prepare(
      `DELETE FROM message WHERE msg_key IN
         (SELECT msg_key FROM ${from} AND finished_at < ?2
             AND msg_key NOT IN (SELECT msg_key FROM report_batch
                                  CROSS JOIN report_queue ON report_queue.account = report_batch.account
                                                         AND report_queue.batch = report_batch.report_id)
           ORDER BY msg_key LIMIT ?3)
       RETURNING msg_key, account, recipient,
         coalesce(ref, (SELECT ref FROM request WHERE request_id = substr(msg_key, 1, 29))) AS ref,
         (SELECT group_key FROM request WHERE request_id = substr(msg_key, 1, 29)) AS group_key`,
    );
  const oldMessages = deleteOf(
    `message WHERE msg_key > ?1 AND msg_key <= ?4 AND NOT ${isPushed('message.msg_key')}`,
  );
  // Of a reservation that was moved to an earlier time: the keys are younger than the messages, and their list tells the age.
  // With the plus, lists are found by their age. A list that is pushed in part stays whole.
  const messagesSentEarly = deleteOf(
    `reservation_list CROSS JOIN message ON msg_key >= request_id AND msg_key < request_id || 'zzzz'
      WHERE released_at < ?2 AND +request_id >= ?1 AND NOT ${isAnyPushed('request_id', "request_id || 'zzzz'")}`,
  );
  const reportsOf = db.prepare('DELETE FROM report WHERE msg_key = ?');
  const termOf = db.prepare('DELETE FROM message_index WHERE term = ? AND msg_key = ?');
  const requestOf = db.prepare(
    `DELETE FROM request WHERE request_id = ?1
        AND NOT EXISTS (SELECT 1 FROM message WHERE msg_key >= ?1 AND msg_key < ?1 || 'zzzz')`,
  );

  const walks = {
    unfetched: ageWalk(db, {
      ...{ table: 'report_queue', id: 'seq', at: 'reported_at' },
      condition: 'batch IS NULL',
    }),
    messages: stretchWalk(db, { table: 'message', id: 'msg_key', first: '' }),
    setAside: ageWalk(db, { table: 'set_aside', id: 'id', at: 'at' }),
    refs: ageWalk(db, {
      ...{ table: 'carrier_ref', id: 'id', at: 'created_at' },
      condition: 'NOT EXISTS (SELECT 1 FROM job WHERE job.msg_key = carrier_ref.msg_key)',
    }),
  };

  const removeTexts = textRemover(db, tables, records);

  function sweeps(cutoffs: RetentionCutoffs): Sweeps {
    const { inquiryBefore } = cutoffs;
    // A record that cannot be inquired any more cannot be fetched either.
    const unfetchedBefore = Math.max(cutoffs.unfetchedBefore, inquiryBefore);
    const part = (run: () => boolean) => () => db.write(run);
    const rows = (statement: Statement, before: number) =>
      part(() => Number(statement.run(before, CHUNK).changes) === CHUNK);
    return {
      batches: part(() => deleteBatches(inquiryBefore)),
      tokens: rows(expiredTokens, cutoffs.tokensBefore),
      'idempotency keys': rows(oldKeys, cutoffs.idempotencyBefore),
      'recent sends': rows(oldSends, cutoffs.now),
      'parked receipts': rows(parked, cutoffs.parkedBefore),
      'unfetched records': rows(unfetched, unfetchedBefore),
      references: rows(refs, inquiryBefore),
      'set aside': rows(setAside, inquiryBefore),
      resends: rows(resends, inquiryBefore),
      'deliveries given up': rows(givenUp, cutoffs.giveUpBefore),
      deliveries: rows(oldDeliveries, cutoffs.deliveriesBefore),
      messages: part(() =>
        walks.messages(timePrefix(inquiryBefore), CHUNK, (after, last) =>
          deleteMessages(oldMessages.all(after, inquiryBefore, CHUNK, last) as Row[]),
        ),
      ),
      'messages sent early': part(() => {
        const early = messagesSentEarly.all(timePrefix(inquiryBefore), inquiryBefore, CHUNK);
        return deleteMessages(early as Row[]) === CHUNK;
      }),
      'surplus of parked receipts': part(() => deleteParked(cutoffs.mostParked)),
      'unfetched records behind others': part(() => walks.unfetched(unfetchedBefore, CHUNK)),
      'set aside behind others': part(() => walks.setAside(inquiryBefore, CHUNK)),
      'references behind others': part(() => walks.refs(inquiryBefore, CHUNK)),
    };
  }

  function deleteBatches(before: number): boolean {
    const closed = oldBatches.all(before) as Row[];
    for (const { account, report_id } of closed) recordsOfBatch.run(account ?? null, report_id ?? null);
    return closed.length > 0;
  }

  function deleteParked(most: number): boolean {
    let deleted = 0;
    let next = (nextParkedCarrier.get('') as Row).carrier;
    while (typeof next === 'string') {
      deleted = Math.max(deleted, Number(tooManyParked.run(next, most, CHUNK).changes));
      next = (nextParkedCarrier.get(next) as Row).carrier;
    }
    return deleted === CHUNK;
  }

  /** Deletes what belonged to messages that were deleted, and tells their number. */
  function deleteMessages(rows: readonly Row[]): number {
    for (const row of rows) {
      const msgKey = String(row.msg_key);
      reportsOf.run(msgKey);
      for (const term of everyTermOf(row, records)) termOf.run(term, msgKey);
      requestOf.run(msgKey.slice(0, -3));
    }
    return rows.length;
  }

  return {
    // There are none.
    async makeDays() {},
    sweeps,
    removeTexts,
    examine: sqliteExamination(db),
    holdBack: sqliteHoldBack(db),
    async restoredAt() {
      const row = db.prepare(FIND_RESTORE).get() as Row | undefined;
      return row && Number(row.value);
    },
  };
}
