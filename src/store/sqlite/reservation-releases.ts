/** Reservations whose time has come: their lists go into the queue. */
import { timePrefix } from '../../domain/ids.ts';
import { READY } from '../phase.ts';
import type { AcceptResult, NewRequest } from '../port/message-store.ts';
import type { EndedMessage, ReleaseOrder } from '../port/reservation-store.ts';
import type { Records } from '../records/records.ts';
import { FOLLOWERS, firstLook, totalOf } from '../reservations.ts';
import { DELETE_CANCELLED, type OwnToEngine, SWEPT_AT_ONCE } from '../tables/reservations.ts';
import { stretchWalk } from './age-walk.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';
import { reportWriter } from './settle.ts';
import { prepareRewritten } from './tables.ts';

const LAST_KEY = '~';

export function sqliteReleases(
  db: Database,
  records: Records,
  accept: (request: NewRequest) => AcceptResult,
): OwnToEngine {
  const selectStatus = db.prepare('SELECT status FROM reservation WHERE resv_key = ?');
  const complete = db.prepare(
    `UPDATE reservation SET status = 'COMPLETED', ended_at = ?2
      WHERE resv_key = ?1 AND status = 'PROCESSING' AND sent >= expected`,
  );
  const addSent = db.prepare('UPDATE reservation SET sent = sent + ?2, updated_at = ?3 WHERE resv_key = ?1');
  const releaseList = db.prepare(
    `UPDATE reservation_list SET recipients = '[]', released_at = ?2, look_at = ?3
      WHERE request_id = ?1 AND released_at IS NULL AND total = ?4`,
  );
  let deleteCancelled: ReturnType<typeof prepareRewritten> | undefined;
  const walkCancelled = stretchWalk(db, {
    ...{ table: 'reservation', id: 'resv_key', first: '' },
    condition: "status = 'CANCELLED'",
  });
  const countReady = db.prepare(
    `SELECT count(*) AS ready FROM (
       SELECT 1 FROM job WHERE carrier = ? AND account = ? AND phase = ${READY} LIMIT ?)`,
  );
  const insertMessage = inserter(db, 'message', records.message);
  const finishMessage = db.prepare(
    `UPDATE message SET state = 'failed', step = 0, finished_at = ? WHERE msg_key = ?`,
  );
  const writeReports = reportWriter(db);
  const insertLate = db.prepare(
    'INSERT OR IGNORE INTO late_request (follower, request_id, stored_at) VALUES (?, ?, ?)',
  );
  // The walk of texts has passed it, or will not come to it while its text is within its time.
  const leaveText = db.prepare(
    `INSERT OR IGNORE INTO text_left (request_id, look_at)
     SELECT ?1, ?2 WHERE (SELECT request_id FROM text_position) >= ?1 OR ?1 > ?3`,
  );

  function release({ resvKey, request, ended, now }: ReleaseOrder): boolean {
    const head = selectStatus.get(resvKey) as Row | undefined;
    if (head?.status !== 'PROCESSING') return false;
    const { requestId, account } = request;
    const total = totalOf({ request, ended });
    const marked = releaseList.run(requestId, now, firstLook(now), total);
    if (Number(marked.changes) === 0) return false;
    accept(request);
    for (const each of ended) endMessage(each, account);
    for (const follower of Object.values(FOLLOWERS)) insertLate.run(follower, requestId, now);
    leaveText.run(requestId, firstLook(now), timePrefix(now));
    addSent.run(resvKey, total, now);
    complete.run(resvKey, now);
    return true;
  }

  function endMessage({ message, history, report }: EndedMessage, account: NewRequest['account']): void {
    insertMessage({ ...message, account, history });
    finishMessage.run(report.reportedAt, message.msgKey);
    writeReports([report]);
  }

  return {
    release: order => db.write(() => release(order), totalOf(order)),
    ready: async (account, carrier, limit) => Number((countReady.get(carrier, account, limit) as Row).ready),
    walkCancelled: () =>
      db.write(() =>
        walkCancelled(LAST_KEY, SWEPT_AT_ONCE, (after, last) => {
          deleteCancelled ??= prepareRewritten(db, DELETE_CANCELLED);
          return deleteCancelled({ after, last }).count;
        }),
      ),
  };
}
