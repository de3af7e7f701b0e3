/** Takes back a request that was answered as refused, as long as none of its steps has been claimed. */
import type { RequestId } from '../../domain/ids.ts';
import type { Records } from '../records/records.ts';
import { everyTermOf } from '../search.ts';
import type { Queryable } from './database.ts';

const IN_REQUEST = "msg_key >= $1 AND msg_key < $1 || 'zzzz'";

/** Claims skip rows that are locked. */
const LOCK_JOBS = `
  SELECT state = 'queued' AND step = 0 AND attempt = 0 AND owner IS NULL AS is_untouched
    FROM job WHERE ${IN_REQUEST} ORDER BY msg_key FOR UPDATE`;

const DELETE_MESSAGES = `
  DELETE FROM message WHERE ${IN_REQUEST}
  RETURNING msg_key, account, recipient, coalesce(ref, (SELECT ref FROM request WHERE request_id = $1)) AS ref,
         (SELECT group_key FROM request WHERE request_id = $1) AS group_key`;

const DELETE_TERMS = `
  DELETE FROM message_index USING unnest(:terms::text[], :keys::text[]) AS gone (term, msg_key)
   WHERE message_index.term = gone.term AND message_index.msg_key = gone.msg_key
     AND message_index.msg_key >= :requestId AND message_index.msg_key < :requestId || 'zzzz'`;

export async function withdraw(tx: Queryable, records: Records, requestId: RequestId): Promise<boolean> {
  const jobs = await tx.query(LOCK_JOBS, [requestId]);
  const messages = await tx.query(`SELECT count(*) AS there FROM message WHERE ${IN_REQUEST}`, [requestId]);
  // A message without a job is over.
  if (jobs.length !== messages[0]?.there || jobs.some(job => job.is_untouched !== true)) return false;
  await tx.query(`DELETE FROM job WHERE ${IN_REQUEST}`, [requestId]);
  const gone = await tx.query(DELETE_MESSAGES, [requestId]);
  const entries = gone.flatMap(row =>
    everyTermOf(row, records).map(term => ({ term, msgKey: String(row.msg_key) })),
  );
  await tx.query(DELETE_TERMS, {
    requestId,
    terms: entries.map(({ term }) => term),
    keys: entries.map(({ msgKey }) => msgKey),
  });
  await tx.query('DELETE FROM request WHERE request_id = $1', [requestId]);
  return true;
}
