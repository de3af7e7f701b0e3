import { type MsgKey, type RequestId, type ResvKey, requestIdOf } from '../../domain/ids.ts';
import {
  CHANGEABLE,
  type ListedRecipient,
  OPEN_TO_RECIPIENTS,
  type RecipientList,
  type Reservation,
  type ReservedRecipient,
} from '../../domain/reservation/reservation.ts';
import { READY } from '../phase.ts';
import type { AcceptResult, NewRequest } from '../port/message-store.ts';
import type {
  EndedMessage,
  NewReservation,
  ReleaseOrder,
  ReservationName,
  ReservationQuery,
  ReservationStore,
  WaitingRecipient,
} from '../port/reservation-store.ts';
import { columnNames } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { RESERVATION_COLUMNS } from '../records/reservation-columns.ts';
import {
  endOf,
  FOLLOWERS,
  firstLook,
  LISTS_AT_ONCE,
  listedOf,
  newReservationOf,
  nextCount,
  recipientIn,
  sortedOut,
  storedListsOf,
  without,
} from '../reservations.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';
import { reportWriter } from './settle.ts';

const SWEPT_AT_ONCE = 100;
const LAST_KEY = '~';

/** Lists show no text, which may be long. */
const HEAD = columnNames(RESERVATION_COLUMNS).replace('source', 'NULL AS source');

export function sqliteReservations(
  db: Database,
  records: Records,
  accept: (request: NewRequest) => AcceptResult,
): ReservationStore {
  const { reservationOf, reservation: columns } = records;
  const { recipients: recipientsColumn } = records.reservationList;
  const insert = inserter(db, 'reservation', columns);
  const insertList = inserter(db, 'reservation_list', records.reservationList);
  const selectKey = db.prepare('SELECT body_hash, response FROM idempotency WHERE account = ? AND key = ?');
  const insertKey = inserter(db, 'idempotency', records.idempotency);
  const select = db.prepare('SELECT * FROM reservation WHERE resv_key = ?');
  const countOpen = db.prepare(
    'SELECT count(*) AS open FROM (SELECT 1 FROM reservation WHERE account = ? AND ended_at IS NULL LIMIT ?)',
  );
  const selectHead = db.prepare('SELECT account, status, expected, sent FROM reservation WHERE resv_key = ?');
  const selectPage = db.prepare(
    `SELECT ${HEAD} FROM reservation
      WHERE resv_key < ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR send_at >= ?3)
      ORDER BY resv_key DESC LIMIT ?4`,
  );
  const selectPageOfAccount = db.prepare(
    `SELECT ${HEAD} FROM reservation
      WHERE resv_key < ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR send_at >= ?3) AND account = ?5
      ORDER BY resv_key DESC LIMIT ?4`,
  );
  const update = db.prepare(
    `UPDATE reservation SET send_at = coalesce(?2, send_at), name = coalesce(?3, name), updated_at = ?4
      WHERE resv_key = ?1`,
  );
  const moveTo = db.prepare(
    'UPDATE reservation SET status = ?2, updated_at = ?3, ended_at = ?4 WHERE resv_key = ?1',
  );
  const addExpected = db.prepare(
    'UPDATE reservation SET expected = expected + ?2, updated_at = ?3 WHERE resv_key = ?1',
  );
  const addSent = db.prepare('UPDATE reservation SET sent = sent + ?2, updated_at = ?3 WHERE resv_key = ?1');
  const addCounts = db.prepare(
    'UPDATE reservation SET delivered = delivered + ?2, failed = failed + ?3 WHERE resv_key = ?1',
  );
  const complete = db.prepare(
    `UPDATE reservation SET status = 'COMPLETED', ended_at = ?2
      WHERE resv_key = ?1 AND status = 'PROCESSING' AND sent >= expected`,
  );
  const selectLists = db.prepare(
    'SELECT * FROM reservation_list WHERE resv_key = ? AND request_id >= ? ORDER BY request_id LIMIT ?',
  );
  const selectWaiting = db.prepare(
    `SELECT request_id, recipients FROM reservation_list
      WHERE resv_key = ? AND released_at IS NULL ORDER BY request_id LIMIT ?`,
  );
  const selectWaitingList = db.prepare(
    'SELECT recipients FROM reservation_list WHERE request_id = ? AND resv_key = ? AND released_at IS NULL',
  );
  const selectListOfMessage = db.prepare(
    `SELECT resv_key, recipients FROM reservation_list JOIN reservation USING (resv_key)
      WHERE request_id = ? AND reservation.account = ? AND released_at IS NULL AND ended_at IS NULL`,
  );
  const updateList = db.prepare('UPDATE reservation_list SET recipients = ?, total = ? WHERE request_id = ?');
  const deleteList = db.prepare('DELETE FROM reservation_list WHERE request_id = ?');
  const releaseList = db.prepare(
    `UPDATE reservation_list SET recipients = ?2, released_at = ?3, look_at = ?4
      WHERE request_id = ?1 AND released_at IS NULL`,
  );
  const selectMessages = db.prepare(
    `SELECT msg_key, recipient FROM message
      WHERE msg_key > ?1 AND msg_key >= ?2 AND msg_key < ?2 || 'zzzz' ORDER BY msg_key LIMIT ?3`,
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
  const selectUnderWay = db.prepare(
    `SELECT ${HEAD} FROM (
       SELECT *, row_number() OVER (PARTITION BY account ORDER BY send_at, resv_key) AS turn
         FROM reservation WHERE status = 'PROCESSING')
      WHERE turn <= ? ORDER BY turn, account`,
  );
  const countReady = db.prepare(
    `SELECT count(*) AS ready FROM (
       SELECT 1 FROM job WHERE carrier = ? AND account = ? AND phase = ${READY} LIMIT ?)`,
  );
  const insertMessage = inserter(db, 'message', records.message);
  const finishMessage = db.prepare(
    `UPDATE message SET state = 'failed', step = 0, finished_at = ? WHERE msg_key = ?`,
  );
  const writeReport = reportWriter(db);
  const insertLate = db.prepare(
    'INSERT OR IGNORE INTO late_request (follower, request_id, stored_at) VALUES (?, ?, ?)',
  );
  // Texts before this position were removed; those of what comes after it are removed when it has ended.
  const leaveText = db.prepare(
    `INSERT OR IGNORE INTO text_left (request_id, look_at)
     SELECT ?1, ?2 WHERE (SELECT request_id FROM text_position) >= ?1`,
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
  const removeTexts = db.prepare(
    `UPDATE reservation SET source = NULL, name = NULL WHERE resv_key IN (
       SELECT resv_key FROM reservation WHERE ended_at < ?1 AND (source IS NOT NULL OR name IS NOT NULL) LIMIT ?2)`,
  );
  const deleteCancelled = db.prepare(
    `DELETE FROM reservation_list WHERE request_id IN (
       SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
        WHERE ended_at IS NOT NULL AND released_at IS NULL LIMIT ?)`,
  );
  const deleteOldLists = db.prepare(
    `DELETE FROM reservation_list WHERE request_id IN (
       SELECT request_id FROM reservation JOIN reservation_list USING (resv_key) WHERE ended_at < ?1 LIMIT ?2)`,
  );
  const deleteOld = db.prepare(
    `DELETE FROM reservation WHERE resv_key IN (
       SELECT resv_key FROM reservation WHERE ended_at < ?1
          AND NOT EXISTS (SELECT 1 FROM reservation_list WHERE reservation_list.resv_key = reservation.resv_key)
        LIMIT ?2)`,
  );
  const selectWithRecipient = db.prepare(
    `SELECT request_id, resv_key, recipients FROM reservation_list
      WHERE request_id > ?1 AND released_at IS NULL AND (?2 IS NULL OR account = ?2) ORDER BY request_id LIMIT ?3`,
  );

  function reserve(given: NewReservation): Awaited<ReturnType<ReservationStore['reserve']>> {
    const { account, idempotency, createdAt, most } = given;
    if (idempotency) {
      const earlier = selectKey.get(account, idempotency.key) as Row | undefined;
      if (earlier) {
        return records.idempotency.bodyHash.read(earlier.body_hash) === idempotency.bodyHash
          ? { kind: 'replayed', response: records.idempotency.response.read(earlier.response) }
          : { kind: 'conflict' };
      }
    }
    if (Number((countOpen.get(account, most) as Row).open) >= most) return { kind: 'full' };
    if (idempotency) insertKey({ account, ...idempotency, createdAt });
    insert(newReservationOf(given));
    for (const list of storedListsOf(given, given.lists)) insertList(list);
    return { kind: 'stored' };
  }

  /** What is asked of one that is there and in one of these states. */
  function withOne<Result>(
    { resvKey, account }: ReservationName,
    states: readonly Reservation['status'][],
    work: (head: Row) => Result,
  ): Result | 'notFound' | 'wrongState' {
    const head = selectHead.get(resvKey) as Row | undefined;
    if (!head || (account !== undefined && head.account !== account)) return 'notFound';
    return states.includes(head.status as Reservation['status']) ? work(head) : 'wrongState';
  }

  function setRecipients(requestId: RequestId, recipients: readonly ReservedRecipient[]): void {
    if (recipients.length === 0) deleteList.run(requestId);
    else updateList.run(recipientsColumn.write(recipients), recipients.length, requestId);
  }

  function listedIn(row: Row, after: string, limit: number): readonly ListedRecipient[] {
    const requestId = String(row.request_id) as RequestId;
    if (row.released_at === null) return listedOf(requestId, recipientsColumn.read(row.recipients));
    return (selectMessages.all(after, requestId, limit) as Row[]).map(({ msg_key, recipient }) => ({
      msgKey: String(msg_key) as MsgKey,
      to: records.content.to.read(recipient),
      isSent: true,
    }));
  }

  function release({ resvKey, request, ended, now }: ReleaseOrder): boolean {
    const head = selectHead.get(resvKey) as Row | undefined;
    if (head?.status !== 'PROCESSING') return false;
    const { requestId, account } = request;
    const marked = releaseList.run(requestId, recipientsColumn.write([]), now, firstLook(now));
    if (Number(marked.changes) === 0) return false;
    accept(request);
    for (const each of ended) endMessage(each, account);
    for (const follower of Object.values(FOLLOWERS)) insertLate.run(follower, requestId, now);
    leaveText.run(requestId, firstLook(now));
    addSent.run(resvKey, request.messages.length + ended.length, now);
    complete.run(resvKey, now);
    return true;
  }

  function endMessage({ message, history, report }: EndedMessage, account: NewRequest['account']): void {
    insertMessage({ ...message, account, history });
    finishMessage.run(report.reportedAt, message.msgKey);
    writeReport(report);
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
    reserve: reservation => db.write(() => reserve(reservation)),
    isStored: async ({ resvKey }) => selectHead.get(resvKey) !== undefined,
    async find({ resvKey, account }) {
      const row = select.get(resvKey) as Row | undefined;
      if (!row || (account !== undefined && row.account !== account)) return undefined;
      return reservationOf(row);
    },
    async list({ account, status, sendFrom, before, limit }: ReservationQuery) {
      const values = [before ?? LAST_KEY, status ?? null, sendFrom ?? null, limit];
      const rows =
        account === undefined ? selectPage.all(...values) : selectPageOfAccount.all(...values, account);
      return (rows as Row[]).map(reservationOf);
    },
    change: (name, { sendAt, name: called }, now) =>
      db.write(() =>
        withOne(name, CHANGEABLE, () => {
          update.run(name.resvKey, sendAt ?? null, columns.name.write(called), now);
          return 'done';
        }),
      ),
    move: (name, from, to, now) =>
      db.write(() =>
        withOne(name, from, () => {
          moveTo.run(name.resvKey, to, now, endOf(to, now));
          complete.run(name.resvKey, now);
          return 'done';
        }),
      ),
    addRecipients: (name, lists, most, now) =>
      db.write(() =>
        withOne(name, OPEN_TO_RECIPIENTS, ({ account, expected }) => {
          const added = lists.reduce((sum, { recipients }) => sum + recipients.length, 0);
          if (Number(expected) + added > most) return 'full';
          const owner = { resvKey: name.resvKey, account: account as Reservation['account'] };
          for (const list of storedListsOf(owner, lists)) insertList(list);
          addExpected.run(name.resvKey, added, now);
          return 'done';
        }),
      ),
    async ofMessage(msgKey, account) {
      const row = selectListOfMessage.get(requestIdOf(msgKey), account) as Row | undefined;
      const recipient = row && recipientIn(recipientsColumn.read(row.recipients), msgKey);
      return recipient && { resvKey: row.resv_key as ResvKey, recipient };
    },
    removeRecipient: (name, msgKey, now) =>
      db.write(() =>
        withOne(name, OPEN_TO_RECIPIENTS, () => {
          const requestId = requestIdOf(msgKey);
          const row = selectWaitingList.get(requestId, name.resvKey) as Row | undefined;
          const left = row && without(recipientsColumn.read(row.recipients), msgKey);
          if (!left) return 'notFound';
          setRecipients(requestId, left);
          addExpected.run(name.resvKey, -1, now);
          return 'done';
        }),
      ),
    async recipients({ resvKey, account }, { after, limit }) {
      const head = selectHead.get(resvKey) as Row | undefined;
      if (!head || (account !== undefined && head.account !== account)) return [];
      const found: ListedRecipient[] = [];
      let from: string = after === undefined ? '' : requestIdOf(after);
      for (;;) {
        const rows = selectLists.all(resvKey, from, LISTS_AT_ONCE) as Row[];
        for (const row of rows) {
          if (row.released_at === null && head.status === 'CANCELLED') continue;
          found.push(
            ...listedIn(row, after ?? '', limit).filter(
              ({ msgKey }) => after === undefined || msgKey > after,
            ),
          );
          if (found.length >= limit) return found.slice(0, limit);
        }
        if (rows.length < LISTS_AT_ONCE) return found;
        from = `${rows.at(-1)?.request_id}0`;
      }
    },
    hasWork: async now => (hasWork.get(now) as Row).found === 1,
    begin: (now, limit) => db.write(() => Number(begin.run(now, limit).changes)),
    underWay: async ofEach => (selectUnderWay.all(ofEach) as Row[]).map(reservationOf),
    async waitingLists(resvKey: ResvKey, limit: number): Promise<RecipientList[]> {
      return (selectWaiting.all(resvKey, limit) as Row[]).map(row => ({
        requestId: String(row.request_id) as RequestId,
        recipients: recipientsColumn.read(row.recipients),
      }));
    },
    release: order => db.write(() => release(order)),
    ready: async (account, carrier, limit) => Number((countReady.get(carrier, account, limit) as Row).ready),
    async count(now, limit) {
      if (selectToCount.get(now, 1) === undefined) return false;
      return db.write(() => count(now, limit));
    },
    sweep: ({ textsBefore, before }) =>
      db.write(() => {
        const changed = [
          removeTexts.run(textsBefore, SWEPT_AT_ONCE),
          deleteCancelled.run(SWEPT_AT_ONCE),
          deleteOldLists.run(before, SWEPT_AT_ONCE),
          deleteOld.run(before, SWEPT_AT_ONCE),
        ];
        return changed.some(({ changes }) => Number(changes) === SWEPT_AT_ONCE);
      }),
    ofRecipient: ({ to, account, after, isRemoval, now }) =>
      db.write(() => {
        const rows = selectWithRecipient.all(after ?? '', account ?? null, LISTS_AT_ONCE) as Row[];
        const all: WaitingRecipient[] = [];
        for (const row of rows) {
          const list = { requestId: row.request_id as RequestId, resvKey: row.resv_key as ResvKey };
          const { found, left } = sortedOut(list, recipientsColumn.read(row.recipients), to);
          all.push(...found);
          if (found.length === 0 || !isRemoval) continue;
          setRecipients(list.requestId, left);
          addExpected.run(list.resvKey, -found.length, now);
        }
        const last = rows.length === LISTS_AT_ONCE ? rows.at(-1)?.request_id : undefined;
        return { found: all, after: last as RequestId | undefined };
      }),
  };
}
