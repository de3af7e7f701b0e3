/**
 * Deletes messages of reservations that were moved to an earlier time. Their keys lie ahead of the time at which they were sent,
 * so the days of their partitions do not tell how old they are; the list that was released does.
 */
import { timePrefix } from '../../domain/ids.ts';
import { isAnyPushed } from '../pushed.ts';
import { REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { everyTermOf } from '../search.ts';
import type { Queryable } from './database.ts';
import { REQUEST_OF_MESSAGE } from './messages.ts';

/** Their requests are a statement each. */
const CHUNK = 250;

/** A batch must not change until it is acknowledged. `msgKey` with its table: without one it would be the key of the record. */
export function isInBatch(msgKey: `${string}.msg_key`): string {
  return `EXISTS (SELECT FROM report_queue AS held WHERE held.batch IS NOT NULL AND held.msg_key = ${msgKey})`;
}

// A list that is pushed in part stays whole. LIMIT keeps the planner to look-ups by key.
const SENT_EARLY = `
  SELECT message.msg_key, message.account, message.recipient, ${REF_OF_MESSAGE} AS ref, request.group_key
    FROM reservation_list
   CROSS JOIN LATERAL (
     SELECT * FROM message
      WHERE msg_key >= reservation_list.request_id AND msg_key < reservation_list.request_id || 'zzzz'
        AND finished_at < $2 AND NOT ${isInBatch('message.msg_key')} LIMIT ${CHUNK}
   ) AS message ${REQUEST_OF_MESSAGE}
   WHERE reservation_list.request_id >= $1 AND released_at < $2
     AND NOT ${isAnyPushed('reservation_list.request_id', "reservation_list.request_id || 'zzzz'")}
   LIMIT ${CHUNK}`;

/** The range of the keys limits each look-up to the daily partitions that can have them. */
const IN_RANGE = 'BETWEEN :first AND :last';
const DELETE_TERMS = `
  DELETE FROM message_index USING unnest(:terms::text[], :keys::text[]) AS gone (term, msg_key)
   WHERE message_index.term = gone.term AND message_index.msg_key = gone.msg_key AND message_index.msg_key ${IN_RANGE}`;
/** Of one request at a time: a day may hold millions, which are found by the range only. */
const DELETE_REFS = 'DELETE FROM carrier_ref WHERE msg_key = ANY ($1::text[]) AND msg_key BETWEEN $2 AND $3';
const DELETE_RECORDS = `DELETE FROM report WHERE msg_key = ANY (:keys::text[]) AND msg_key ${IN_RANGE}`;
const DELETE_MESSAGES = `DELETE FROM message WHERE msg_key = ANY (:keys::text[]) AND msg_key ${IN_RANGE}`;
const DELETE_REQUESTS = `
  DELETE FROM request WHERE request_id = ANY (:ids::text[]) AND request_id ${IN_RANGE}
     AND NOT EXISTS (SELECT FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz')`;

/** True if there may be more. */
export async function deleteSentEarly(tx: Queryable, records: Records, before: number): Promise<boolean> {
  const rows = await tx.query(SENT_EARLY, [timePrefix(before), before]);
  if (rows.length === 0) return false;
  const keys = rows.map(row => String(row.msg_key)).sort();
  const range = { first: keys.at(0) ?? '', last: keys.at(-1) ?? '' };
  const entries = rows.flatMap(row => everyTermOf(row, records).map(term => [term, String(row.msg_key)]));
  await tx.query(DELETE_TERMS, {
    terms: entries.map(([term]) => term ?? ''),
    keys: entries.map(([, key]) => key ?? ''),
    ...range,
  });
  const requests = Map.groupBy(keys, key => key.slice(0, -3));
  for (const own of requests.values()) await tx.query(DELETE_REFS, [own, own.at(0) ?? '', own.at(-1) ?? '']);
  await tx.query(DELETE_RECORDS, { keys, ...range });
  await tx.query(DELETE_MESSAGES, { keys, ...range });
  const ids = [...requests.keys()];
  await tx.query(DELETE_REQUESTS, { ids, first: ids.at(0) ?? '', last: ids.at(-1) ?? '' });
  return rows.length === CHUNK;
}
