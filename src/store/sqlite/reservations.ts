import { msgKeyOf, type RequestId, type ResvKey, requestIdOf, timePrefix } from '../../domain/ids.ts';
import {
  CHANGEABLE,
  type ListedRecipient,
  OPEN_TO_RECIPIENTS,
  type Reservation,
  type ReservedRecipient,
} from '../../domain/reservation/reservation.ts';
import type { AcceptResult, NewRequest } from '../port/message-store.ts';
import type {
  AddResult,
  NewReservation,
  ReservationName,
  ReservationQuery,
  ReservationStore,
  ReserveResult,
  WaitingRecipient,
} from '../port/reservation-store.ts';
import type { Records } from '../records/records.ts';
import { RESERVATION_HEAD } from '../records/reservation-columns.ts';
import {
  bytesOf,
  endOf,
  LISTS_AT_ONCE,
  listedOf,
  NOBODY_FOUND,
  newReservationOf,
  openSums,
  recipientIn,
  sentRecipientOf,
  sizeOf,
  sortedOut,
  storedListsOf,
  usedUpBy,
  without,
} from '../reservations.ts';
import type { Database, Row } from './database.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { inserter } from './inserter.ts';
import { sqliteReleases } from './reservation-releases.ts';

const SWEPT_AT_ONCE = 100;
const LAST_KEY = '~';

export function sqliteReservations(
  db: Database,
  records: Records,
  accept: (request: NewRequest) => AcceptResult,
): ReservationStore {
  const { reservationOf, reservation: columns } = records;
  const { recipients: recipientsColumn } = records.reservationList;
  const insert = inserter(db, 'reservation', columns);
  const insertList = inserter(db, 'reservation_list', records.reservationList);
  const keys = sqliteIdempotency(db, records);
  const select = db.prepare('SELECT * FROM reservation WHERE resv_key = ?');
  const selectOpen = db.prepare(openSums('?'));
  const selectHead = db.prepare('SELECT account, status, expected, sent FROM reservation WHERE resv_key = ?');
  const selectPage = db.prepare(
    `SELECT ${RESERVATION_HEAD} FROM reservation
      WHERE resv_key < ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR send_at >= ?3)
      ORDER BY resv_key DESC LIMIT ?4`,
  );
  const selectPageOfAccount = db.prepare(
    `SELECT ${RESERVATION_HEAD} FROM reservation
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
    'UPDATE reservation SET expected = expected + ?2, bytes = max(0, bytes + ?3), updated_at = ?4 WHERE resv_key = ?1',
  );
  const complete = db.prepare(
    `UPDATE reservation SET status = 'COMPLETED', ended_at = ?2
      WHERE resv_key = ?1 AND status = 'PROCESSING' AND sent >= expected`,
  );
  const selectLists = db.prepare(
    'SELECT * FROM reservation_list WHERE resv_key = ? AND request_id >= ? ORDER BY request_id LIMIT ?',
  );
  const selectWaitingList = db.prepare(
    'SELECT recipients FROM reservation_list WHERE request_id = ? AND resv_key = ? AND released_at IS NULL',
  );
  const selectListOfMessage = db.prepare(
    `SELECT resv_key, recipients FROM reservation_list JOIN reservation USING (resv_key)
      WHERE request_id = ? AND reservation.account = ? AND released_at IS NULL AND ended_at IS NULL`,
  );
  const selectList = db.prepare(
    `SELECT resv_key, recipients, released_at IS NULL AND ended_at IS NULL AS is_waiting
       FROM reservation_list JOIN reservation USING (resv_key) WHERE request_id = ? AND reservation.account = ?`,
  );
  const selectLastList = db.prepare(
    'SELECT max(request_id) AS last FROM reservation_list WHERE resv_key = ?',
  );
  // It stays for those who ask for it again.
  const emptyList = db.prepare(
    'UPDATE reservation_list SET recipients = ?2, total = 0, released_at = ?3 WHERE request_id = ?1',
  );
  const updateList = db.prepare('UPDATE reservation_list SET recipients = ?, total = ? WHERE request_id = ?');
  const selectMessages = db.prepare(
    `SELECT msg_key, recipient FROM message
      WHERE msg_key > ?1 AND msg_key >= ?2 AND msg_key < ?2 || 'zzzz' ORDER BY msg_key LIMIT ?3`,
  );
  const removeTexts = db.prepare(
    `UPDATE reservation SET source = NULL, name = NULL WHERE resv_key IN (
       SELECT resv_key FROM reservation WHERE ended_at < ?1 AND (source IS NOT NULL OR name IS NOT NULL) LIMIT ?2)`,
  );
  const deleteCancelled = db.prepare(
    `DELETE FROM reservation_list WHERE request_id IN (
       SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
        WHERE ended_at IS NOT NULL AND status = 'CANCELLED' AND released_at IS NULL LIMIT ?)`,
  );
  // Those that were sent early lead to their messages, whose keys do not tell how old they are.
  const deleteOldLists = db.prepare(
    `DELETE FROM reservation_list WHERE request_id IN (
       SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
        WHERE ended_at < ?1
          AND (request_id < ?3 OR NOT EXISTS (
            SELECT 1 FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz'))
        LIMIT ?2)`,
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

  function reserve(given: NewReservation): ReserveResult {
    const { account, idempotency, createdAt, quota } = given;
    const earlier = idempotency && keys.repeated(account, idempotency);
    if (earlier) return earlier;
    const made = newReservationOf(given);
    const added = { reservations: 1, recipients: made.expected, bytes: made.bytes };
    const usedUp = usedUpBy(added, quota, selectOpen.get(account) as Row);
    if (usedUp) return usedUp;
    if (idempotency) keys.add(account, idempotency, createdAt);
    insert(made);
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

  function setRecipients(requestId: RequestId, recipients: readonly ReservedRecipient[], now: number): void {
    if (recipients.length === 0) emptyList.run(requestId, recipientsColumn.write([]), now);
    else updateList.run(recipientsColumn.write(recipients), recipients.length, requestId);
  }

  function listedIn(row: Row, after: string, limit: number): readonly ListedRecipient[] {
    const requestId = String(row.request_id) as RequestId;
    if (row.released_at === null) {
      const listed = () => listedOf(requestId, recipientsColumn.read(row.recipients));
      return records.unreadable.value('reservation_list', row, listed, []);
    }
    const rows = selectMessages.all(after, requestId, limit) as Row[];
    return rows.map(message => sentRecipientOf(message, records));
  }

  return {
    ...sqliteReleases(db, records, accept),
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
      return records.unreadable.each('reservation', rows as Row[], reservationOf);
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
    addRecipients: (name, { lists, most, quota, now, idempotency }) =>
      db.write(() => {
        const earlier = idempotency && keys.repeated(name.account, idempotency);
        if (earlier) return earlier;
        const outcome = withOne<AddResult>(name, OPEN_TO_RECIPIENTS, ({ expected }) => {
          const { recipients, bytes } = sizeOf(lists);
          if (Number(expected) + recipients > most) return { kind: 'full' };
          const open = selectOpen.get(name.account) as Row;
          const usedUp = usedUpBy({ reservations: 0, recipients, bytes }, quota, open);
          if (usedUp) return usedUp;
          if (idempotency) keys.add(name.account, idempotency, now);
          for (const list of storedListsOf(name, lists)) insertList(list);
          addExpected.run(name.resvKey, recipients, bytes, now);
          return { kind: 'stored' };
        });
        return typeof outcome === 'string' ? { kind: outcome } : outcome;
      }),
    async lastList(resvKey) {
      const { last } = selectLastList.get(resvKey) as Row;
      return last === null ? undefined : (last as RequestId);
    },
    async listOf(requestId, account) {
      const row = selectList.get(requestId, account) as Row | undefined;
      if (!row) return undefined;
      const waiting = row.is_waiting === 1 ? recipientsColumn.read(row.recipients) : [];
      return {
        resvKey: row.resv_key as ResvKey,
        waiting: waiting.map(({ index }) => msgKeyOf(requestId, index)),
      };
    },
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
          const recipients = row && recipientsColumn.read(row.recipients);
          const left = recipients && without(recipients, msgKey);
          if (!left) return 'notFound';
          setRecipients(requestId, left, now);
          addExpected.run(name.resvKey, -1, bytesOf(left) - bytesOf(recipients), now);
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
    sweep: ({ textsBefore, before }) =>
      db.write(() => {
        const changed = [
          removeTexts.run(textsBefore, SWEPT_AT_ONCE),
          deleteCancelled.run(SWEPT_AT_ONCE),
          deleteOldLists.run(before, SWEPT_AT_ONCE, timePrefix(before)),
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
          const read = () => sortedOut(list, recipientsColumn.read(row.recipients), to);
          const { found, left, bytes } = records.unreadable.value(
            'reservation_list',
            row,
            read,
            NOBODY_FOUND,
          );
          all.push(...found);
          if (found.length === 0 || !isRemoval) continue;
          setRecipients(list.requestId, left, now);
          addExpected.run(list.resvKey, -found.length, -bytes, now);
        }
        const last = rows.length === LISTS_AT_ONCE ? rows.at(-1)?.request_id : undefined;
        return { found: all, after: last as RequestId | undefined };
      }),
  };
}
