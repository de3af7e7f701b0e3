/** Takes back a request that was answered as refused, as long as none of its steps has been claimed. */
import type { MsgKey, RequestId } from '../../domain/ids.ts';
import type { Records } from '../records/records.ts';
import { everyTermOf } from '../search.ts';
import { sql, type Tables, type Work } from './tables.ts';

const IN_REQUEST = "msg_key >= :requestId AND msg_key < :requestId || 'zzzz'";
/**
 * Claims skip rows that are locked. One that is to be repeated may have been sent: its attempt was taken back when its carrier did
 * not take the repetition.
 */
const LOCK_UNTOUCHED = `
  SELECT msg_key, phase FROM job
   WHERE ${IN_REQUEST} AND state = 'queued' AND step = 0 AND attempt = 0 AND repeat_until IS NULL
   ORDER BY msg_key FOR UPDATE`;
const DELETE_MESSAGES = `
  DELETE FROM message WHERE ${IN_REQUEST}
  RETURNING msg_key, account, recipient, coalesce(ref, (SELECT ref FROM request WHERE request_id = :requestId)) AS ref,
         (SELECT group_key FROM request WHERE request_id = :requestId) AS group_key`;
const DELETE_TERMS = `
  DELETE FROM message_index
   WHERE ${IN_REQUEST} AND (term, msg_key) IN (
     SELECT of_term, of_key FROM unnest(:terms::text[], :keys::text[]) AS gone (of_term, of_key))`;

/** `withdrawn` is called in the transaction for each message, with the phase that its job had. */
export function withdrawal(
  tables: Tables,
  records: Records,
  withdrawn: (msgKey: MsgKey, phase: number) => void = () => {},
): (requestId: RequestId) => Promise<boolean> {
  function* withdraw(requestId: RequestId): Work<boolean> {
    const jobs = yield* sql(LOCK_UNTOUCHED, { requestId });
    const [messages] = yield* sql(`SELECT count(*) AS there FROM message WHERE ${IN_REQUEST}`, { requestId });
    // A message without a job is over.
    if (jobs.length !== Number(messages?.there)) return false;
    yield* sql(`DELETE FROM job WHERE ${IN_REQUEST}`, { requestId });
    const gone = yield* sql(DELETE_MESSAGES, { requestId });
    const entries = gone.flatMap(row =>
      everyTermOf(row, records).map(term => [term, String(row.msg_key)] as const),
    );
    const [terms, keys] = [entries.map(([term]) => term), entries.map(([, key]) => key)];
    yield* sql(DELETE_TERMS, { requestId, terms, keys });
    yield* sql('DELETE FROM request WHERE request_id = :requestId', { requestId });
    for (const { msg_key, phase } of jobs) withdrawn(msg_key as MsgKey, Number(phase));
    return true;
  }
  return requestId => tables.write(undefined, `request ${requestId}`, () => withdraw(requestId));
}
