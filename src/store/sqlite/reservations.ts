import { msgKeyOf, type RequestId, type ResvKey, requestIdOf, timePrefix } from '../../domain/ids.ts';
import {
  CHANGEABLE,
  type ListedRecipient,
  OPEN_TO_RECIPIENTS,
  type Reservation,
  type ReservedRecipient,
} from '../../domain/reservation/reservation.ts';
import { nextTurn } from '../../platform/next-turn.ts';
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
import { inStretches, STRETCH } from '../stretches.ts';
import { stretchWalk } from './age-walk.ts';
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
      WHERE resv_key < ?1 AND resv_key >= ?2 AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR send_at >= ?4)
      ORDER BY resv_key DESC LIMIT ?5`,
  );
  const selectPageOfAccount = db.prepare(
    `SELECT ${RESERVATION_HEAD} FROM reservation
      WHERE resv_key < ?1 AND resv_key >= ?2 AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR send_at >= ?4)
        AND account = ?6
      ORDER BY resv_key DESC LIMIT ?5`,
  );
  const endOfStretch = db.prepare(
    `SELECT resv_key FROM reservation WHERE resv_key < ? ORDER BY resv_key DESC LIMIT 1 OFFSET ${STRETCH - 1}`,
  );
  const endOfStretchOfAccount = db.prepare(
    `SELECT resv_key FROM reservation WHERE resv_key < ? AND account = ?
      ORDER BY resv_key DESC LIMIT 1 OFFSET ${STRETCH - 1}`,
  );
  const update = db.prepare(
    `UPDATE reservation SET send_at = coalesce(?2, send_at), name = coalesce(?3, name), updated_at = ?4,
            was_stopped = CASE WHEN ?2 IS NULL THEN was_stopped ELSE 0 END
      WHERE resv_key = ?1`,
  );
  const moveTo = db.prepare(
    `UPDATE reservation SET status = CASE WHEN ?2 = 'PENDING' AND was_stopped = 1 THEN 'STOPPED' ELSE ?2 END,
            updated_at = ?3, ended_at = ?4
      WHERE resv_key = ?1`,
  );
  const addExpected = db.prepare(
    'UPDATE reservation SET expected = expected + ?2, bytes = max(0, bytes + ?3), updated_at = ?4 WHERE resv_key = ?1',
  );
  const complete = db.prepare(
    `UPDATE reservation SET status = 'COMPLETED', ended_at = ?2
      WHERE resv_key = ?1 AND status = 'PROCESSING' AND sent >= expected`,
  );
  const selectList = db.prepare(
    `SELECT * FROM reservation_list
      WHERE resv_key = ? AND request_id >= ? AND (released_at IS NOT NULL OR ?) ORDER BY request_id LIMIT 1`,
  );
  const selectWaitingList = db.prepare(
    'SELECT * FROM reservation_list WHERE request_id = ? AND resv_key = ? AND released_at IS NULL',
  );
  const selectListOfMessage = db.prepare(
    `SELECT reservation_list.* FROM reservation_list JOIN reservation USING (resv_key)
      WHERE request_id = ? AND reservation.account = ? AND released_at IS NULL AND ended_at IS NULL`,
  );
  const selectKnown = db.prepare(
    `SELECT reservation_list.*, released_at IS NULL AND ended_at IS NULL AS is_waiting
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
    `SELECT msg_key, account, recipient FROM message
      WHERE msg_key > ?1 AND msg_key >= ?2 AND msg_key < ?2 || 'zzzz' ORDER BY msg_key LIMIT ?3`,
  );
  const cancelHalted = db.prepare(
    `UPDATE reservation SET status = 'CANCELLED', source = NULL, name = NULL, updated_at = ?1, ended_at = ?1
      WHERE resv_key IN (
        SELECT resv_key FROM reservation
         WHERE status IN ('STOPPED', 'HELD') AND updated_at < ?2 AND send_at < ?2 LIMIT ?3)`,
  );
  const removeTexts = db.prepare(
    `UPDATE reservation SET source = NULL, name = NULL WHERE resv_key IN (
       SELECT resv_key FROM reservation WHERE ended_at < ?1 AND (source IS NOT NULL OR name IS NOT NULL) LIMIT ?2)`,
  );
  const walkCancelled = stretchWalk(db, {
    ...{ table: 'reservation', id: 'resv_key', first: '' },
    condition: "status = 'CANCELLED'",
  });
  const deleteCancelled = db.prepare(
    `DELETE FROM reservation_list WHERE request_id IN (
       SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
        WHERE resv_key > ? AND resv_key <= ? AND ended_at IS NOT NULL AND status = 'CANCELLED' AND released_at IS NULL
        LIMIT ${SWEPT_AT_ONCE})`,
  );
  // Those that were sent early lead to their messages, whose keys do not tell how old they are.
  const deleteOldLists = db.prepare(
    `DELETE FROM reservation_list WHERE request_id IN (
       SELECT request_id FROM reservation_list
        WHERE released_at < ?1
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
    `SELECT * FROM reservation_list
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

  /** Of the list in this row. */
  function setRecipients(row: Row, recipients: readonly ReservedRecipient[], now: number): void {
    const stored = recipientsColumn.write(recipients, row);
    const id = row.request_id ?? null;
    if (recipients.length === 0) emptyList.run(id, stored, now);
    else updateList.run(stored, recipients.length, id);
  }

  function listedIn(row: Row, after: string, limit: number): readonly ListedRecipient[] {
    const requestId = String(row.request_id) as RequestId;
    if (row.released_at === null) {
      const listed = () => listedOf(requestId, recipientsColumn.read(row.recipients, row));
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
      const filters = [status ?? null, sendFrom ?? null];
      const rows = await inStretches(
        limit,
        String(before ?? LAST_KEY),
        start => {
          if (status === undefined && sendFrom === undefined) return undefined;
          const end =
            account === undefined ? endOfStretch.get(start) : endOfStretchOfAccount.get(start, account);
          return (end as { resv_key: string } | undefined)?.resv_key;
        },
        (start, end = '', left) => {
          const values = [start, end, ...filters, left];
          const found =
            account === undefined ? selectPage.all(...values) : selectPageOfAccount.all(...values, account);
          return found as Row[];
        },
      );
      return records.unreadable.each('reservation', rows, reservationOf);
    },
    change: (name, { sendAt, name: called }, now) =>
      db.write(() =>
        withOne(name, CHANGEABLE, head => {
          const row = { account: head.account, resv_key: name.resvKey };
          update.run(name.resvKey, sendAt ?? null, columns.name.write(called, row), now);
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
      const row = selectKnown.get(requestId, account) as Row | undefined;
      if (!row) return undefined;
      const waiting = row.is_waiting === 1 ? recipientsColumn.read(row.recipients, row) : [];
      return {
        size: Number(row.size),
        waiting: waiting.map(({ index }) => msgKeyOf(requestId, index)),
      };
    },
    async ofMessage(msgKey, account) {
      const row = selectListOfMessage.get(requestIdOf(msgKey), account) as Row | undefined;
      const recipient = row && recipientIn(recipientsColumn.read(row.recipients, row), msgKey);
      return recipient && { resvKey: row.resv_key as ResvKey, recipient };
    },
    removeRecipient: (name, msgKey, now) =>
      db.write(() =>
        withOne(name, OPEN_TO_RECIPIENTS, () => {
          const requestId = requestIdOf(msgKey);
          const row = selectWaitingList.get(requestId, name.resvKey) as Row | undefined;
          const recipients = row && recipientsColumn.read(row.recipients, row);
          const left = recipients && without(recipients, msgKey);
          if (!left) return 'notFound';
          setRecipients(row, left, now);
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
        const row = selectList.get(resvKey, from, head.status === 'CANCELLED' ? 0 : 1) as Row | undefined;
        if (!row) return found;
        const listed = listedIn(row, after ?? '', limit);
        found.push(...listed.filter(({ msgKey }) => after === undefined || msgKey > after));
        if (found.length >= limit) return found.slice(0, limit);
        from = `${row.request_id}0`;
        // One list may be as large as a request, and have a single recipient.
        await nextTurn();
      }
    },
    sweeps({ now, haltedBefore, textsBefore, before }) {
      const part = (run: () => { readonly changes: number | bigint }) => () =>
        db.write(() => Number(run().changes) === SWEPT_AT_ONCE);
      return {
        halted: part(() => cancelHalted.run(now, haltedBefore, SWEPT_AT_ONCE)),
        texts: part(() => removeTexts.run(textsBefore, SWEPT_AT_ONCE)),
        'lists of cancelled ones': () =>
          db.write(() =>
            walkCancelled(LAST_KEY, SWEPT_AT_ONCE, (after, last) =>
              Number(deleteCancelled.run(after, last).changes),
            ),
          ),
        lists: part(() => deleteOldLists.run(before, SWEPT_AT_ONCE, timePrefix(before))),
        reservations: part(() => deleteOld.run(before, SWEPT_AT_ONCE)),
      };
    },
    ofRecipient: ({ to, account, after, isRemoval, now }) =>
      db.write(() => {
        const rows = selectWithRecipient.all(after ?? '', account ?? null, LISTS_AT_ONCE) as Row[];
        const all: WaitingRecipient[] = [];
        const unreadable: RequestId[] = [];
        for (const row of rows) {
          const list = { requestId: row.request_id as RequestId, resvKey: row.resv_key as ResvKey };
          const read = () => sortedOut(list, recipientsColumn.read(row.recipients, row), to);
          const sorted = records.unreadable.value('reservation_list', row, read, undefined);
          if (!sorted) unreadable.push(list.requestId);
          const { found, left, bytes } = sorted ?? NOBODY_FOUND;
          all.push(...found);
          if (found.length === 0 || !isRemoval) continue;
          setRecipients(row, left, now);
          addExpected.run(list.resvKey, -found.length, -bytes, now);
        }
        const last = rows.length === LISTS_AT_ONCE ? rows.at(-1)?.request_id : undefined;
        return { found: all, unreadable, after: last as RequestId | undefined };
      }),
  };
}
