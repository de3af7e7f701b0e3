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
import type { AcceptResult, IdempotencyEntry } from '../port/message-store.ts';
import type {
  NewReservation,
  ReservationName,
  ReservationStore,
  ReserveResult,
  WaitingRecipient,
} from '../port/reservation-store.ts';
import { columnNames } from '../records/columns.ts';
import { IDEMPOTENCY_COLUMNS } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { LIST_COLUMNS, RESERVATION_COLUMNS, RESERVATION_HEAD } from '../records/reservation-columns.ts';
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
import { unnest } from '../tables/tables.ts';
import { stretchWalk } from './age-walk.ts';
import { arraysOf } from './arrays.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Queryable, Row, Session } from './database.ts';
import type { Grouping } from './grouping.ts';
import { givenAnswerIn, repetitionOf } from './messages.ts';
import { postgresReleases } from './reservation-releases.ts';
import type { StatementParameters } from './statement.ts';

const SWEPT_AT_ONCE = 500;
const LAST_KEY = '~';

const INSERT_KEY = `
  INSERT INTO idempotency (${columnNames(IDEMPOTENCY_COLUMNS)})
  SELECT * FROM ${unnest('keyed', IDEMPOTENCY_COLUMNS)} ON CONFLICT DO NOTHING`;
const SELECT_KEY = 'SELECT * FROM idempotency WHERE account = $1 AND key = $2';
/** Sets our locks by account apart from others. */
const QUOTA_LOCK = 6;
/** Two that look at the same time would both find room for one. Taken before a reservation is locked. */
const LOCK_QUOTA = `SELECT pg_advisory_xact_lock(hashtextextended($1, ${QUOTA_LOCK}))`;
const OPEN_SUMS = openSums('$1');
const LIST_OF_MESSAGE = `
  SELECT reservation_list.* FROM reservation_list JOIN reservation USING (resv_key)
   WHERE request_id = $1 AND reservation.account = $2 AND released_at IS NULL AND ended_at IS NULL`;
const LIST = `
  SELECT reservation_list.*, released_at IS NULL AND ended_at IS NULL AS is_waiting
    FROM reservation_list JOIN reservation USING (resv_key) WHERE request_id = $1 AND reservation.account = $2`;
/** It stays for those who ask for it again. */
const EMPTY_LIST = `
  UPDATE reservation_list SET recipients = $2, total = 0, released_at = $3 WHERE request_id = $1`;
const SET_LIST = 'UPDATE reservation_list SET recipients = $2, total = $3 WHERE request_id = $1';
const INSERT = `
  INSERT INTO reservation (${columnNames(RESERVATION_COLUMNS)})
  SELECT * FROM ${unnest('made', RESERVATION_COLUMNS)}`;
const INSERT_LISTS = `
  INSERT INTO reservation_list (${columnNames(LIST_COLUMNS)}) SELECT * FROM ${unnest('list', LIST_COLUMNS)}`;
const IS_ITS = 'resv_key = :resvKey AND (:account::text IS NULL OR account = :account)';
const PAGE = `
  SELECT ${RESERVATION_HEAD} FROM reservation
   WHERE resv_key < :before AND (:account::text IS NULL OR account = :account)
     AND (:status::text IS NULL OR status = :status) AND (:sendFrom::bigint IS NULL OR send_at >= :sendFrom)
   ORDER BY resv_key DESC LIMIT :limit`;
const LOCK = `SELECT account, status, expected, sent FROM reservation WHERE ${IS_ITS} FOR UPDATE`;
const ADD_EXPECTED = `
  UPDATE reservation SET expected = expected + :added, bytes = greatest(0, bytes + :bytes), updated_at = :now
   WHERE resv_key = :resvKey`;
const WAITING_LIST = `
  SELECT * FROM reservation_list
   WHERE request_id = :requestId AND resv_key = :resvKey AND released_at IS NULL FOR UPDATE`;
const MOVE = `
  UPDATE reservation SET status = CASE WHEN :to = 'PENDING' AND was_stopped = 1 THEN 'STOPPED' ELSE :to END,
         updated_at = :now, ended_at = :endedAt::bigint
   WHERE resv_key = :resvKey`;
/** One that is resumed may have nothing left to send. */
const COMPLETE = `
  UPDATE reservation SET status = 'COMPLETED', ended_at = :now
   WHERE resv_key = :resvKey AND status = 'PROCESSING' AND sent >= expected`;
const CANCEL_HALTED = `
  UPDATE reservation SET status = 'CANCELLED', source = NULL, name = NULL, updated_at = :now, ended_at = :now
   WHERE resv_key = ANY (ARRAY(
    SELECT resv_key FROM reservation
     WHERE status IN ('STOPPED', 'HELD') AND updated_at < :haltedBefore AND send_at < :haltedBefore
     LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
const REMOVE_TEXTS = `
  UPDATE reservation SET source = NULL, name = NULL WHERE resv_key = ANY (ARRAY(
    SELECT resv_key FROM reservation WHERE ended_at < $1 AND (source IS NOT NULL OR name IS NOT NULL)
     LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
const DELETE_CANCELLED = `
  DELETE FROM reservation_list WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
     WHERE resv_key > $1 AND resv_key <= $2 AND ended_at IS NOT NULL AND status = 'CANCELLED' AND released_at IS NULL
     LIMIT ${SWEPT_AT_ONCE}))`;
/** Those that were sent early lead to their messages, whose keys do not tell how old they are. */
const DELETE_OLD_LISTS = `
  DELETE FROM reservation_list WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM reservation_list
     WHERE released_at < $1
       AND (request_id < $2 OR NOT EXISTS (
         SELECT FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz'))
     LIMIT ${SWEPT_AT_ONCE}))`;
const DELETE_OLD = `
  DELETE FROM reservation WHERE resv_key = ANY (ARRAY(
    SELECT resv_key FROM reservation WHERE ended_at < $1
       AND NOT EXISTS (SELECT FROM reservation_list WHERE reservation_list.resv_key = reservation.resv_key)
     LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
const WAITING_LISTS = `
  SELECT * FROM reservation_list
   WHERE request_id > :after AND released_at IS NULL AND (:account::text IS NULL OR account = :account)
   ORDER BY request_id LIMIT ${LISTS_AT_ONCE}`;

const quotaOf = (account: AccountId): string => `reservations ${account}`;

export function postgresReservations(db: Database, records: Records, grouping: Grouping): ReservationStore {
  const { reservationOf, reservation: columns } = records;
  const { recipients: recipientsColumn } = records.reservationList;

  const walkCancelled = stretchWalk(db, {
    ...{ table: 'reservation', id: 'resv_key', first: '' },
    condition: "status = 'CANCELLED'",
  });

  const sessionOf = (account: ReservationName['account']): Session =>
    account === undefined ? db : db.as(account);

  /** What is asked of one that is there and in one of these states; it does not change meanwhile. */
  function withOne<Result>(
    { resvKey, account }: ReservationName,
    states: readonly Reservation['status'][],
    work: (tx: Queryable, head: Row) => Promise<Result>,
  ): Promise<Result | 'notFound' | 'wrongState'> {
    return lockingBriefly(db, sessionOf(account), `reservation ${resvKey}`, async tx => {
      const [head] = await tx.query(LOCK, { resvKey, account: account ?? null });
      if (!head) return 'notFound';
      return states.includes(head.status as Reservation['status']) ? work(tx, head) : 'wrongState';
    });
  }

  async function reserve(tx: Queryable, given: NewReservation): Promise<ReserveResult> {
    const { account, idempotency, createdAt, quota } = given;
    await tx.query(LOCK_QUOTA, [account]);
    const earlier = await repeated(tx, given);
    if (earlier) return earlier;
    const made = newReservationOf(given);
    const added = { reservations: 1, recipients: made.expected, bytes: made.bytes };
    const [open] = await tx.query(OPEN_SUMS, [account]);
    const usedUp = usedUpBy(added, quota, open);
    if (usedUp) return usedUp;
    const other = idempotency && (await keep(tx, account, idempotency, createdAt));
    if (other) return other;
    await Promise.all([
      tx.query(INSERT, arraysOf('made', columns, [made])),
      insertLists(tx, given, given.lists),
    ]);
    return { kind: 'stored' };
  }

  async function repeated(
    tx: Queryable,
    given: Pick<NewReservation, 'account' | 'idempotency'>,
  ): Promise<AcceptResult | undefined> {
    if (!given.idempotency) return undefined;
    const [earlier] = await tx.query(SELECT_KEY, [given.account, given.idempotency.key]);
    return earlier && repetitionOf(given, givenAnswerIn(earlier, records));
  }

  /** Resolves to the answer where another call has stored the key. */
  async function keep(
    tx: Queryable,
    account: AccountId,
    idempotency: IdempotencyEntry,
    createdAt: number,
  ): Promise<AcceptResult | undefined> {
    const keyed = [{ account, ...idempotency, createdAt }];
    const { count } = await tx.query(INSERT_KEY, arraysOf('keyed', records.idempotency, keyed));
    if (count > 0) return undefined;
    const earlier = await repeated(tx, { account, idempotency });
    if (!earlier) throw new Error(`the key ${idempotency.key} was neither stored nor answered before`);
    return earlier;
  }

  async function insertLists(
    tx: Queryable,
    owner: Pick<Reservation, 'resvKey' | 'account'>,
    lists: NewReservation['lists'],
  ): Promise<void> {
    if (lists.length === 0) return;
    await tx.query(INSERT_LISTS, arraysOf('list', records.reservationList, storedListsOf(owner, lists)));
  }

  /** Of the list in this row. */
  async function setRecipients(
    tx: Queryable,
    row: Row,
    recipients: readonly ReservedRecipient[],
    now: number,
  ): Promise<void> {
    const id = String(row.request_id);
    const stored = recipientsColumn.write(recipients, row);
    if (recipients.length === 0) await tx.query(EMPTY_LIST, [id, stored, now]);
    else await tx.query(SET_LIST, [id, stored, recipients.length]);
  }

  async function listedIn(
    session: Session,
    row: Row,
    after: string,
    limit: number,
  ): Promise<readonly ListedRecipient[]> {
    const requestId = String(row.request_id) as RequestId;
    if (row.released_at === null) {
      const listed = () => listedOf(requestId, recipientsColumn.read(row.recipients, row));
      return records.unreadable.value('reservation_list', row, listed, []);
    }
    const rows = await session.query(
      `SELECT msg_key, account, recipient FROM message
        WHERE msg_key > :after AND msg_key >= :requestId AND msg_key < :requestId || 'zzzz'
        ORDER BY msg_key LIMIT :limit`,
      { after, requestId, limit },
    );
    return rows.map(message => sentRecipientOf(message, records));
  }

  return {
    ...postgresReleases(db, records, grouping),
    reserve: given =>
      lockingBriefly(db, db.as(given.account), quotaOf(given.account), tx => reserve(tx, given)),
    async isStored({ resvKey }) {
      await db.lostSessionsEnded();
      return (await db.query('SELECT FROM reservation WHERE resv_key = $1', [resvKey])).length > 0;
    },
    async find({ resvKey, account }) {
      const statement = `SELECT * FROM reservation WHERE ${IS_ITS}`;
      const [row] = await sessionOf(account).query(statement, { resvKey, account: account ?? null });
      return row && reservationOf(row);
    },
    async list({ account, status, sendFrom, before, limit }) {
      const rows = await sessionOf(account).query(PAGE, {
        account: account ?? null,
        status: status ?? null,
        sendFrom: sendFrom ?? null,
        before: before ?? LAST_KEY,
        limit,
      });
      return records.unreadable.each('reservation', rows, reservationOf);
    },
    change: (name, { sendAt, name: called }, now) =>
      withOne(name, CHANGEABLE, async (tx, head) => {
        const row = { account: head.account, resv_key: name.resvKey };
        await tx.query(
          `UPDATE reservation SET send_at = coalesce(:sendAt::bigint, send_at), name = coalesce(:name::text, name),
                  was_stopped = CASE WHEN :sendAt::bigint IS NULL THEN was_stopped ELSE 0 END, updated_at = :now
            WHERE resv_key = :resvKey`,
          { resvKey: name.resvKey, sendAt: sendAt ?? null, name: columns.name.write(called, row), now },
        );
        return 'done' as const;
      }),
    move: (name, from, to, now) =>
      withOne(name, from, async tx => {
        await tx.query(MOVE, { resvKey: name.resvKey, to, now, endedAt: endOf(to, now) });
        await tx.query(COMPLETE, { resvKey: name.resvKey, now });
        return 'done' as const;
      }),
    addRecipients: ({ resvKey, account }, { lists, most, quota, now, idempotency }) =>
      lockingBriefly(db, db.as(account), quotaOf(account), async tx => {
        await tx.query(LOCK_QUOTA, [account]);
        const [head] = await tx.query(LOCK, { resvKey, account });
        // After the lock: another call under the same key has ended by then.
        const earlier = await repeated(tx, { account, idempotency });
        if (earlier) return earlier;
        if (!head) return { kind: 'notFound' };
        if (!OPEN_TO_RECIPIENTS.includes(head.status as Reservation['status'])) return { kind: 'wrongState' };
        const { recipients, bytes } = sizeOf(lists);
        if (Number(head.expected) + recipients > most) return { kind: 'full' };
        const [open] = await tx.query(OPEN_SUMS, [account]);
        const usedUp = usedUpBy({ reservations: 0, recipients, bytes }, quota, open);
        if (usedUp) return usedUp;
        const other = idempotency && (await keep(tx, account, idempotency, now));
        if (other) return other;
        await Promise.all([
          insertLists(tx, { resvKey, account }, lists),
          tx.query(ADD_EXPECTED, { resvKey, added: recipients, bytes, now }),
        ]);
        return { kind: 'stored' };
      }),
    async lastList(resvKey) {
      const [row] = await db.query(
        'SELECT request_id FROM reservation_list WHERE resv_key = $1 ORDER BY request_id DESC LIMIT 1',
        [resvKey],
      );
      return row && (row.request_id as RequestId);
    },
    async listOf(requestId, account) {
      const [row] = await db.as(account).query(LIST, [requestId, account]);
      if (!row) return undefined;
      const waiting = row.is_waiting === true ? recipientsColumn.read(row.recipients, row) : [];
      return {
        size: Number(row.size),
        waiting: waiting.map(({ index }) => msgKeyOf(requestId, index)),
      };
    },
    async ofMessage(msgKey, account) {
      const [row] = await db.as(account).query(LIST_OF_MESSAGE, [requestIdOf(msgKey), account]);
      const recipient = row && recipientIn(recipientsColumn.read(row.recipients, row), msgKey);
      return recipient && { resvKey: row.resv_key as ResvKey, recipient };
    },
    removeRecipient: (name, msgKey, now) =>
      withOne(name, OPEN_TO_RECIPIENTS, async tx => {
        const { resvKey } = name;
        const requestId = requestIdOf(msgKey);
        const [row] = await tx.query(WAITING_LIST, { requestId, resvKey });
        const recipients = row && recipientsColumn.read(row.recipients, row);
        const left = recipients && without(recipients, msgKey);
        if (!left) return 'notFound';
        await setRecipients(tx, row, left, now);
        const bytes = bytesOf(left) - bytesOf(recipients);
        await tx.query(ADD_EXPECTED, { resvKey, added: -1, bytes, now });
        return 'done';
      }),
    async recipients({ resvKey, account }, { after, limit }) {
      const session = sessionOf(account);
      const [head] = await session.query(`SELECT status FROM reservation WHERE ${IS_ITS}`, {
        resvKey,
        account: account ?? null,
      });
      if (!head) return [];
      const found: ListedRecipient[] = [];
      let from: string = after === undefined ? '' : requestIdOf(after);
      for (;;) {
        const rows = await session.query(
          'SELECT * FROM reservation_list WHERE resv_key = :resvKey AND request_id >= :from ORDER BY request_id LIMIT :most',
          { resvKey, from, most: LISTS_AT_ONCE },
        );
        for (const row of rows) {
          if (row.released_at === null && head.status === 'CANCELLED') continue;
          const listed = await listedIn(session, row, after ?? '', limit);
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
      const part = (statement: string, parameters: StatementParameters) => async () =>
        (await db.query(statement, parameters)).count === SWEPT_AT_ONCE;
      return {
        halted: part(CANCEL_HALTED, { now, haltedBefore }),
        texts: part(REMOVE_TEXTS, [textsBefore]),
        'lists of cancelled ones': () =>
          walkCancelled(LAST_KEY, SWEPT_AT_ONCE, async (after, last) => {
            const { count } = await db.query(DELETE_CANCELLED, [after, last]);
            return count;
          }),
        lists: part(DELETE_OLD_LISTS, [before, timePrefix(before)]),
        reservations: part(DELETE_OLD, [before]),
      };
    },
    async ofRecipient({ to, account, after, isRemoval, now }) {
      const rows = await db.query(WAITING_LISTS, { after: after ?? '', account: account ?? null });
      const all: WaitingRecipient[] = [];
      const unreadable: RequestId[] = [];
      for (const row of rows) {
        const list = { requestId: row.request_id as RequestId, resvKey: row.resv_key as ResvKey };
        const read = () => sortedOut(list, recipientsColumn.read(row.recipients, row), to);
        const sorted = records.unreadable.value('reservation_list', row, read, undefined);
        if (!sorted) unreadable.push(list.requestId);
        const { found } = sorted ?? NOBODY_FOUND;
        if (found.length === 0) continue;
        all.push(...(isRemoval ? await db.transaction(tx => takeOut(tx, list, to, now)) : found));
      }
      const last = rows.length === LISTS_AT_ONCE ? rows.at(-1)?.request_id : undefined;
      return { found: all, unreadable, after: last as RequestId | undefined };
    },
  };

  async function takeOut(
    tx: Queryable,
    { requestId, resvKey }: { readonly requestId: RequestId; readonly resvKey: ResvKey },
    to: readonly string[],
    now: number,
  ): Promise<readonly WaitingRecipient[]> {
    // In this order, as everybody else does.
    await tx.query(LOCK, { resvKey, account: null });
    const [row] = await tx.query(WAITING_LIST, { requestId, resvKey });
    if (!row) return [];
    const recipients = recipientsColumn.read(row.recipients, row);
    const { found, left, bytes } = sortedOut({ requestId, resvKey }, recipients, to);
    await setRecipients(tx, row, left, now);
    await tx.query(ADD_EXPECTED, { resvKey, added: -found.length, bytes: -bytes, now });
    return found;
  }
}
