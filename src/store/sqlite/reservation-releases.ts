/** Reservations whose time has come: their lists go into the queue, and what becomes of them is counted. */
import { type ResvKey, timePrefix } from '../../domain/ids.ts';
import type { RecipientList } from '../../domain/reservation/reservation.ts';
import { READY } from '../phase.ts';
import type { AcceptResult, NewRequest } from '../port/message-store.ts';
import type { EndedMessage, ReleaseOrder, ReservationReleases } from '../port/reservation-store.ts';
import type { Records } from '../records/records.ts';
import { RESERVATION_HEAD } from '../records/reservation-columns.ts';
import { FOLLOWERS, firstLook, nextCount, readableLists, totalOf } from '../reservations.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';
import { reportWriter } from './settle.ts';

export function sqliteReleases(
  db: Database,
  records: Records,
  accept: (request: NewRequest) => AcceptResult,
): ReservationReleases {
  const { reservationOf, unreadable } = records;
  const { recipients: recipientsColumn } = records.reservationList;
  const selectStatus = db.prepare('SELECT status FROM reservation WHERE resv_key = ?');
  const complete = db.prepare(
    `UPDATE reservation SET status = 'COMPLETED', ended_at = ?2
      WHERE resv_key = ?1 AND status = 'PROCESSING' AND sent >= expected`,
  );
  const completeEmpty = db.prepare(
    `UPDATE reservation SET status = 'COMPLETED', updated_at = ?2, ended_at = ?2
      WHERE resv_key = ?1 AND status = 'PROCESSING' AND NOT EXISTS (
        SELECT 1 FROM reservation_list AS list WHERE list.resv_key = ?1 AND list.released_at IS NULL)`,
  );
  const addSent = db.prepare('UPDATE reservation SET sent = sent + ?2, updated_at = ?3 WHERE resv_key = ?1');
  const addCounts = db.prepare(
    'UPDATE reservation SET delivered = delivered + ?2, failed = failed + ?3 WHERE resv_key = ?1',
  );
  const selectWaiting = db.prepare(
    `SELECT * FROM reservation_list
      WHERE resv_key = ? AND request_id > ? AND released_at IS NULL ORDER BY request_id LIMIT ?`,
  );
  const releaseList = db.prepare(
    `UPDATE reservation_list SET recipients = '[]', released_at = ?2, look_at = ?3
      WHERE request_id = ?1 AND released_at IS NULL AND total = ?4`,
  );
  const hasWork = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM reservation WHERE status = 'PENDING' AND send_at <= ?)
         OR EXISTS (SELECT 1 FROM reservation WHERE status = 'PROCESSING') AS found`,
  );
  const begin = db.prepare(
    `UPDATE reservation SET status = CASE WHEN expected = 0 THEN 'COMPLETED' ELSE 'PROCESSING' END, updated_at = ?1,
            ended_at = CASE WHEN expected = 0 THEN ?1 END
      WHERE resv_key IN (SELECT resv_key FROM reservation
                          WHERE status = 'PENDING' AND send_at <= ?1 ORDER BY send_at LIMIT ?2)`,
  );
  // One step in the index for each account.
  const selectBusy = db.prepare(
    `WITH RECURSIVE busy (account) AS (
       SELECT min(account) FROM reservation WHERE status = 'PROCESSING'
       UNION ALL
       SELECT (SELECT min(account) FROM reservation WHERE status = 'PROCESSING' AND account > busy.account)
         FROM busy WHERE account IS NOT NULL)
     SELECT account FROM busy WHERE account IS NOT NULL`,
  );
  // Which ones is read from the index alone: an account may have 10,000, and they are asked for many times a second.
  const selectUnderWay = db.prepare(
    `SELECT ${RESERVATION_HEAD} FROM (
       SELECT resv_key FROM reservation INDEXED BY reservation_by_turn
        WHERE status = 'PROCESSING' AND account = ?1 ORDER BY send_at, resv_key LIMIT ?2 OFFSET ?3)
      CROSS JOIN reservation USING (resv_key)`,
  );
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
  const selectToCount = db.prepare(
    `SELECT request_id, resv_key, total, delivered, failed, released_at FROM reservation_list
      WHERE look_at <= ? ORDER BY look_at LIMIT ?`,
  );
  const countEnded = db.prepare(
    `SELECT coalesce(sum(state = 'delivered'), 0) AS delivered, coalesce(sum(state <> 'delivered'), 0) AS failed
       FROM message WHERE msg_key >= ?1 AND msg_key < ?1 || 'zzzz' AND state IS NOT NULL`,
  );
  const updateCounts = db.prepare(
    'UPDATE reservation_list SET delivered = ?2, failed = ?3, look_at = ?4 WHERE request_id = ?1',
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

  function count(now: number, limit: number): boolean {
    const rows = selectToCount.all(now, limit) as Row[];
    for (const row of rows) {
      const before = { delivered: Number(row.delivered), failed: Number(row.failed) };
      const found = countEnded.get(row.request_id ?? null) as Row;
      // Messages that are past their time may be gone.
      const delivered = Math.max(before.delivered, Number(found.delivered));
      const failed = Math.max(before.failed, Number(found.failed));
      const list = {
        total: Number(row.total),
        ended: delivered + failed,
        releasedAt: Number(row.released_at),
      };
      updateCounts.run(row.request_id ?? null, delivered, failed, nextCount(list, now));
      addCounts.run(row.resv_key ?? null, delivered - before.delivered, failed - before.failed);
    }
    return rows.length === limit;
  }

  return {
    hasWork: async now => (hasWork.get(now) as Row).found === 1,
    begin: (now, limit) => db.write(() => Number(begin.run(now, limit).changes)),
    async underWay(ofEach, skipped) {
      const busy = selectBusy.all() as Row[];
      const rows = busy.flatMap(
        ({ account }) => selectUnderWay.all(account ?? null, ofEach, skipped) as Row[],
      );
      return unreadable.each('reservation', rows, reservationOf);
    },
    async waitingLists(resvKey: ResvKey, limit: number): Promise<RecipientList[]> {
      return readableLists(limit, recipientsColumn, unreadable, (after, count) =>
        Promise.resolve(selectWaiting.all(resvKey, after, count) as Row[]),
      );
    },
    complete: (resvKey, now) => db.write(() => completeEmpty.run(resvKey, now).changes === 1),
    release: order => db.write(() => release(order), totalOf(order)),
    ready: async (account, carrier, limit) => Number((countReady.get(carrier, account, limit) as Row).ready),
    async count(now, limit) {
      if (selectToCount.get(now, 1) === undefined) return false;
      return db.write(() => count(now, limit));
    },
  };
}
