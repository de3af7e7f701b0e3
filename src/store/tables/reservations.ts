import {
  type AccountId,
  msgKeyOf,
  type RequestId,
  type ResvKey,
  requestIdOf,
  timePrefix,
} from '../../domain/ids.ts';
import {
  CHANGEABLE,
  type ListedRecipient,
  OPEN_TO_RECIPIENTS,
  type Reservation,
  type ReservedRecipient,
} from '../../domain/reservation/reservation.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type {
  AddResult,
  NewReservation,
  ReservationName,
  ReservationReleases,
  ReservationStore,
  ReserveResult,
  WaitingRecipient,
} from '../port/reservation-store.ts';
import type { AnyRow } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { LIST_COLUMNS, RESERVATION_COLUMNS, RESERVATION_HEAD } from '../records/reservation-columns.ts';
import {
  bytesOf,
  endOf,
  LISTS_AT_ONCE,
  listedOf,
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
import { keepKey, repeated } from './idempotency.ts';
import { releaseTable } from './releases.ts';
import {
  insertOneOf,
  lockName,
  sql,
  sqlEach,
  type Tables,
  type Values,
  valuesIn,
  type Work,
} from './tables.ts';

export const SWEPT_AT_ONCE = 200;
const LAST_KEY = '~';
/** Sets our locks by account apart from others. */
const QUOTA_LOCK = 6;

const INSERT = insertOneOf('reservation', RESERVATION_COLUMNS);
const INSERT_LIST = insertOneOf('reservation_list', LIST_COLUMNS);
const OPEN_SUMS = openSums(':account');
const IS_ITS = 'resv_key = :resvKey AND (:account::text IS NULL OR account = :account)';
const LOCK = `SELECT account, status, expected, sent FROM reservation WHERE ${IS_ITS} FOR UPDATE`;
const CHANGE = `
  UPDATE reservation SET send_at = coalesce(:sendAt::bigint, send_at), name = coalesce(:name::text, name), updated_at = :now,
         was_stopped = CASE WHEN :sendAt::bigint IS NULL THEN was_stopped ELSE 0 END
   WHERE resv_key = :resvKey`;
const MOVE = `
  UPDATE reservation SET status = CASE WHEN :to::text = 'PENDING' AND was_stopped = 1 THEN 'STOPPED' ELSE :to::text END,
         updated_at = :now, ended_at = :endedAt::bigint
   WHERE resv_key = :resvKey`;
/** One that is resumed may have nothing left to send. */
const COMPLETE = `
  UPDATE reservation SET status = 'COMPLETED', ended_at = :now
   WHERE resv_key = :resvKey AND status = 'PROCESSING' AND sent >= expected`;
const ADD_EXPECTED = `
  UPDATE reservation SET expected = expected + :added::integer, updated_at = :now,
         bytes = CASE WHEN bytes + :bytes::bigint > 0 THEN bytes + :bytes::bigint ELSE 0 END
   WHERE resv_key = :resvKey`;

const pageOf = (isTheirs: string): string => `
  SELECT ${RESERVATION_HEAD} FROM reservation
   WHERE resv_key < :before AND resv_key >= :end AND ${isTheirs}
     AND (:status::text IS NULL OR status = :status) AND (:sendFrom::bigint IS NULL OR send_at >= :sendFrom)
   ORDER BY resv_key DESC LIMIT :limit`;
const endOfStretch = (isTheirs: string): string => `
  SELECT resv_key FROM reservation WHERE resv_key < :before AND ${isTheirs}
   ORDER BY resv_key DESC LIMIT 1 OFFSET ${STRETCH - 1}`;

const LIST_OF_ACCOUNT = `
  SELECT reservation_list.*, ended_at FROM reservation_list JOIN reservation USING (resv_key)
   WHERE request_id = :requestId AND reservation.account = :account`;
const LAST_LIST = `
  SELECT request_id FROM reservation_list WHERE resv_key = :resvKey ORDER BY request_id DESC LIMIT 1`;
const LISTS = `
  SELECT * FROM reservation_list
   WHERE resv_key = :resvKey AND request_id >= :from AND (released_at IS NOT NULL OR NOT :isCancelled::boolean)
   ORDER BY request_id LIMIT ${LISTS_AT_ONCE}`;
const SENT = `
  SELECT msg_key, account, recipient FROM message
   WHERE msg_key > :after AND msg_key >= :requestId AND msg_key < :requestId || 'zzzz' ORDER BY msg_key LIMIT :limit`;
const WAITING_LIST = `
  SELECT * FROM reservation_list
   WHERE request_id = :requestId AND resv_key = :resvKey AND released_at IS NULL FOR UPDATE`;
const WAITING_LISTS = `
  SELECT * FROM reservation_list
   WHERE request_id > :after AND released_at IS NULL AND (:account::text IS NULL OR account = :account)
   ORDER BY request_id LIMIT ${LISTS_AT_ONCE}`;
/** It stays for those who ask for it again. */
const EMPTY_LIST = `
  UPDATE reservation_list SET recipients = :recipients, total = 0, released_at = :now WHERE request_id = :id`;
const SET_LIST =
  'UPDATE reservation_list SET recipients = :recipients, total = :total WHERE request_id = :id';

const CANCEL_HALTED = `
  UPDATE reservation SET status = 'CANCELLED', source = NULL, name = NULL, updated_at = :now, ended_at = :now
   WHERE resv_key = ANY (ARRAY(
     SELECT resv_key FROM reservation
      WHERE status IN ('STOPPED', 'HELD') AND updated_at < :haltedBefore AND send_at < :haltedBefore
      LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
const REMOVE_TEXTS = `
  UPDATE reservation SET source = NULL, name = NULL WHERE resv_key = ANY (ARRAY(
    SELECT resv_key FROM reservation WHERE ended_at < :before AND (source IS NOT NULL OR name IS NOT NULL)
     LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
/** Of one stretch; the engines walk. */
export const DELETE_CANCELLED = `
  DELETE FROM reservation_list WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
     WHERE resv_key > :after AND resv_key <= :last AND ended_at IS NOT NULL AND status = 'CANCELLED' AND released_at IS NULL
     LIMIT ${SWEPT_AT_ONCE}))`;
/** Those that were sent early lead to their messages, whose keys do not tell how old they are. */
const DELETE_OLD_LISTS = `
  DELETE FROM reservation_list WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM reservation_list
     WHERE released_at < :before
       AND (request_id < :oldKeys OR NOT EXISTS (
         SELECT 1 FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz'))
     LIMIT ${SWEPT_AT_ONCE}))`;
const DELETE_OLD = `
  DELETE FROM reservation WHERE resv_key = ANY (ARRAY(
    SELECT resv_key FROM reservation WHERE ended_at < :before
       AND NOT EXISTS (SELECT 1 FROM reservation_list WHERE reservation_list.resv_key = reservation.resv_key)
     LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED))`;

const quotaOf = (account: AccountId): string => `reservations ${account}`;

/** What each engine does in its own way. */
export interface OwnToEngine extends Pick<ReservationReleases, 'release' | 'ready'> {
  /** Deletes what waits in the next cancelled ones; true if there may be more. */
  walkCancelled(): Promise<boolean>;
}

export function reservationTable(tables: Tables, records: Records, own: OwnToEngine): ReservationStore {
  const { reservationOf, unreadable, reservation: columns } = records;
  const { recipients: recipientsColumn } = records.reservationList;

  /** What is asked of one that is there and in one of these states; it does not change meanwhile. */
  function withOne<Result>(
    { resvKey, account }: ReservationName,
    states: readonly Reservation['status'][],
    work: (head: AnyRow) => Work<Result>,
  ): Promise<Result | 'notFound' | 'wrongState'> {
    return tables.write(account, `reservation ${resvKey}`, function* () {
      const [head] = yield* sql(LOCK, { resvKey, account: account ?? null });
      if (!head) return 'notFound';
      return states.includes(head.status as Reservation['status']) ? yield* work(head) : 'wrongState';
    });
  }

  function* reserve(given: NewReservation): Work<ReserveResult> {
    const { account, idempotency, createdAt, quota } = given;
    // Two that look at the same time would both find room for one. Taken before a reservation is locked.
    yield* lockName(account, QUOTA_LOCK);
    const earlier = yield* repeated(records, account, idempotency);
    if (earlier) return earlier;
    const made = newReservationOf(given);
    const added = { reservations: 1, recipients: made.expected, bytes: made.bytes };
    const [open] = yield* sql(OPEN_SUMS, { account });
    const usedUp = usedUpBy(added, quota, open);
    if (usedUp) return usedUp;
    const other = yield* keepKey(records, account, idempotency, createdAt);
    if (other) return other;
    yield* sql(INSERT, valuesIn(columns, made));
    yield* insertLists(given, given.lists);
    return { kind: 'stored' };
  }

  function insertLists(
    owner: Pick<Reservation, 'resvKey' | 'account'>,
    lists: NewReservation['lists'],
  ): Work<void> {
    const stored = storedListsOf(owner, lists);
    return sqlEach(
      INSERT_LIST,
      stored.map(list => valuesIn(records.reservationList, list)),
    );
  }

  /** Of the list in this row. */
  function* setRecipients(row: AnyRow, recipients: readonly ReservedRecipient[], now: number): Work<void> {
    const list = { id: String(row.request_id), recipients: recipientsColumn.write(recipients, row) };
    if (recipients.length === 0) yield* sql(EMPTY_LIST, { ...list, now });
    else yield* sql(SET_LIST, { ...list, total: recipients.length });
  }

  async function listedIn(
    account: ReservationName['account'],
    row: AnyRow,
    after: string,
    limit: number,
  ): Promise<readonly ListedRecipient[]> {
    const requestId = String(row.request_id) as RequestId;
    if (row.released_at === null) {
      const listed = () => listedOf(requestId, recipientsColumn.read(row.recipients, row));
      return unreadable.value('reservation_list', row, listed, []);
    }
    const rows = await tables.read(account, SENT, { after, requestId, limit });
    return rows.map(message => sentRecipientOf(message, records));
  }

  function* takeOut(
    { requestId, resvKey }: { readonly requestId: RequestId; readonly resvKey: ResvKey },
    to: readonly string[],
    now: number,
  ): Work<readonly WaitingRecipient[]> {
    // In this order, as everybody else does.
    yield* sql(LOCK, { resvKey, account: null });
    const [row] = yield* sql(WAITING_LIST, { requestId, resvKey });
    if (!row) return [];
    const recipients = recipientsColumn.read(row.recipients, row);
    const { found, left, bytes } = sortedOut({ requestId, resvKey }, recipients, to);
    yield* setRecipients(row, left, now);
    yield* sql(ADD_EXPECTED, { resvKey, added: -found.length, bytes: -bytes, now });
    return found;
  }

  return {
    ...releaseTable(tables, records),
    release: own.release,
    ready: own.ready,
    reserve: given =>
      tables.write(given.account, quotaOf(given.account), () => reserve(given), given.lists.length),
    async isStored({ resvKey }) {
      const text = 'SELECT resv_key FROM reservation WHERE resv_key = :resvKey';
      return (await tables.readCertain(undefined, text, { resvKey })).count > 0;
    },
    async find({ resvKey, account }) {
      const text = `SELECT * FROM reservation WHERE ${IS_ITS}`;
      const [row] = await tables.read(account, text, { resvKey, account: account ?? null });
      return row && reservationOf(row);
    },
    async list({ account, status = null, sendFrom = null, before, limit }) {
      const isTheirs = account === undefined ? 'true' : 'account = :account';
      const query = { account: account ?? null, status, sendFrom };
      const rows = await inStretches<string, AnyRow>(
        limit,
        before ?? LAST_KEY,
        async start => {
          if (status === null && sendFrom === null) return undefined;
          const [row] = await tables.read(account, endOfStretch(isTheirs), { ...query, before: start });
          return row && String(row.resv_key);
        },
        (start, end = '', left) =>
          tables.read(account, pageOf(isTheirs), { ...query, before: start, end, limit: left }),
      );
      return unreadable.each('reservation', rows, reservationOf);
    },
    change: (name, { sendAt = null, name: called }, now) =>
      withOne(name, CHANGEABLE, function* ({ account }) {
        const { resvKey } = name;
        const stored = columns.name.write(called, { account, resv_key: resvKey });
        yield* sql(CHANGE, { resvKey, sendAt, name: stored, now });
        return 'done' as const;
      }),
    move: (name, from, to, now) =>
      withOne(name, from, function* () {
        const { resvKey } = name;
        yield* sql(MOVE, { resvKey, to, now, endedAt: endOf(to, now) });
        yield* sql(COMPLETE, { resvKey, now });
        return 'done' as const;
      }),
    addRecipients: ({ resvKey, account }, { lists, most, quota, now, idempotency }) =>
      tables.write(
        account,
        quotaOf(account),
        function* (): Work<AddResult> {
          yield* lockName(account, QUOTA_LOCK);
          const [head] = yield* sql(LOCK, { resvKey, account });
          // After the lock: another call under the same key has ended by then.
          const earlier = yield* repeated(records, account, idempotency);
          if (earlier) return earlier;
          if (!head) return { kind: 'notFound' };
          if (!OPEN_TO_RECIPIENTS.includes(head.status as Reservation['status']))
            return { kind: 'wrongState' };
          const { recipients, bytes } = sizeOf(lists);
          if (Number(head.expected) + recipients > most) return { kind: 'full' };
          const [open] = yield* sql(OPEN_SUMS, { account });
          const usedUp = usedUpBy({ reservations: 0, recipients, bytes }, quota, open);
          if (usedUp) return usedUp;
          const other = yield* keepKey(records, account, idempotency, now);
          if (other) return other;
          yield* insertLists({ resvKey, account }, lists);
          yield* sql(ADD_EXPECTED, { resvKey, added: recipients, bytes, now });
          return { kind: 'stored' };
        },
        lists.length,
      ),
    async lastList(resvKey) {
      const [row] = await tables.read(undefined, LAST_LIST, { resvKey });
      return row && (row.request_id as RequestId);
    },
    async listOf(requestId, account) {
      const [row] = await tables.read(account, LIST_OF_ACCOUNT, { requestId, account });
      if (!row) return undefined;
      const waiting = isWaiting(row) ? recipientsColumn.read(row.recipients, row) : [];
      return { size: Number(row.size), waiting: waiting.map(({ index }) => msgKeyOf(requestId, index)) };
    },
    async ofMessage(msgKey, account) {
      const [row] = await tables.read(account, LIST_OF_ACCOUNT, { requestId: requestIdOf(msgKey), account });
      if (!row || !isWaiting(row)) return undefined;
      const recipient = recipientIn(recipientsColumn.read(row.recipients, row), msgKey);
      return recipient && { resvKey: row.resv_key as ResvKey, recipient };
    },
    removeRecipient: (name, msgKey, now) =>
      withOne(name, OPEN_TO_RECIPIENTS, function* () {
        const { resvKey } = name;
        const [row] = yield* sql(WAITING_LIST, { requestId: requestIdOf(msgKey), resvKey });
        const recipients = row && recipientsColumn.read(row.recipients, row);
        const left = recipients && without(recipients, msgKey);
        if (!left) return 'notFound' as const;
        yield* setRecipients(row, left, now);
        const bytes = bytesOf(left) - bytesOf(recipients);
        yield* sql(ADD_EXPECTED, { resvKey, added: -1, bytes, now });
        return 'done' as const;
      }),
    async recipients({ resvKey, account }, { after, limit }) {
      const text = `SELECT status FROM reservation WHERE ${IS_ITS}`;
      const [head] = await tables.read(account, text, { resvKey, account: account ?? null });
      if (!head) return [];
      const isCancelled = head.status === 'CANCELLED';
      const found: ListedRecipient[] = [];
      let from: string = after === undefined ? '' : requestIdOf(after);
      for (;;) {
        const rows = await tables.read(account, LISTS, { resvKey, from, isCancelled });
        for (const row of rows) {
          const listed = await listedIn(account, row, after ?? '', limit);
          found.push(...listed.filter(({ msgKey }) => after === undefined || msgKey > after));
          if (found.length >= limit) return found.slice(0, limit);
          // One list may be as large as a request, and have a single recipient.
          await nextTurn();
        }
        if (rows.length < LISTS_AT_ONCE) return found;
        from = `${rows.at(-1)?.request_id}0`;
      }
    },
    sweeps({ now, haltedBefore, textsBefore, before }) {
      const part = (text: string, values: Values) => async () =>
        (await tables.write(undefined, undefined, () => sql(text, values))).count === SWEPT_AT_ONCE;
      return {
        halted: part(CANCEL_HALTED, { now, haltedBefore }),
        texts: part(REMOVE_TEXTS, { before: textsBefore }),
        'lists of cancelled ones': () => own.walkCancelled(),
        lists: part(DELETE_OLD_LISTS, { before, oldKeys: timePrefix(before) }),
        reservations: part(DELETE_OLD, { before }),
      };
    },
    async ofRecipient({ to, account, after = '', isRemoval, now }) {
      const rows = await tables.read(undefined, WAITING_LISTS, { after, account: account ?? null });
      const all: WaitingRecipient[] = [];
      const notRead: RequestId[] = [];
      for (const row of rows) {
        const list = { requestId: row.request_id as RequestId, resvKey: row.resv_key as ResvKey };
        const read = () => sortedOut(list, recipientsColumn.read(row.recipients, row), to).found;
        const found = unreadable.value('reservation_list', row, read, undefined);
        if (!found) notRead.push(list.requestId);
        else if (found.length > 0 && isRemoval)
          all.push(...(await tables.write(undefined, undefined, () => takeOut(list, to, now))));
        else all.push(...found);
      }
      const last = rows.length === LISTS_AT_ONCE ? rows.at(-1)?.request_id : undefined;
      return { found: all, unreadable: notRead, after: last as RequestId | undefined };
    },
  };
}

/** Of a row with released_at, and the end of its reservation. */
function isWaiting({ released_at, ended_at }: AnyRow): boolean {
  return released_at === null && ended_at === null;
}
