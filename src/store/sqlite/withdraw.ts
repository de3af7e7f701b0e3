/** Takes back a request that was answered as refused, as long as none of its steps has been claimed. */
import type { MsgKey, RequestId } from '../../domain/ids.ts';
import { READY } from '../phase.ts';
import type { Records } from '../records/records.ts';
import { everyTermOf } from '../search.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';

const IN_REQUEST = "msg_key >= ?1 AND msg_key < ?1 || 'zzzz'";

export function sqliteWithdraw(
  db: Database,
  records: Records,
  steps: LiveSteps,
  counts: JobCounts,
): (requestId: RequestId) => boolean {
  // A message without a job is over.
  const countTouched = db.prepare(
    `SELECT count(*) AS touched FROM message LEFT JOIN job USING (msg_key)
      WHERE ${IN_REQUEST} AND NOT coalesce(job.state = 'queued' AND job.step = 0 AND job.attempt = 0, 0)`,
  );
  const deleteJobs = db.prepare(`DELETE FROM job WHERE ${IN_REQUEST}`);
  const deleteMessages = db.prepare(
    `DELETE FROM message WHERE ${IN_REQUEST}
     RETURNING msg_key, account, recipient, coalesce(ref, (SELECT ref FROM request WHERE request_id = ?1)) AS ref,
         (SELECT group_key FROM request WHERE request_id = ?1) AS group_key`,
  );
  const deleteTerm = db.prepare('DELETE FROM message_index WHERE term = ? AND msg_key = ?');
  const deleteRequest = db.prepare('DELETE FROM request WHERE request_id = ?');

  return requestId => {
    const { touched } = countTouched.get(requestId) as Row;
    if (touched !== 0) return false;
    counts.move(Number(deleteJobs.run(requestId).changes), READY, undefined);
    for (const row of deleteMessages.all(requestId) as Row[]) {
      steps.forget(String(row.msg_key) as MsgKey);
      for (const term of everyTermOf(row, records)) deleteTerm.run(term, String(row.msg_key));
    }
    deleteRequest.run(requestId);
    return true;
  };
}
