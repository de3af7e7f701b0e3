/** What both engines have in common about reservations (port/reservation-store.ts). */
import {
  type MsgKey,
  msgKeyOf,
  type RequestId,
  type ResvKey,
  recipientIndexOf,
  requestIdOf,
} from '../domain/ids.ts';
import type {
  ListedRecipient,
  RecipientList,
  Reservation,
  ReservationState,
  ReservedRecipient,
} from '../domain/reservation/reservation.ts';
import type {
  NewReservation,
  ReleaseOrder,
  ReservationQuota,
  UsedUp,
  WaitingRecipient,
} from './port/reservation-store.ts';
import type { AnyRow, Column } from './records/columns.ts';
import type { Records } from './records/records.ts';
import type { StoredList } from './records/reservation-columns.ts';
import { UNREADABLE, type UnreadableRows } from './unreadable.ts';

/**
 * Walks over messages in the order of their keys that must be told of keys older than their messages: each release leaves a row for
 * each of them, and so does each request that is stored behind one (migration 0058). A walk that meets the request deletes the row,
 * in its transaction; so what lies behind a walk was not met, and is read by itself.
 */
export const FOLLOWERS = { index: 'index', rollups: 'rollups' } as const;
/**
 * What becomes of a row of `rollups` whose keys are from the future: its messages are counted, and the walk must not count
 * them again when it has come so far.
 */
export const COUNTED_AHEAD = 'counted';
/** Requests behind a walk that are looked at together. */
export const LATE_AT_ONCE = 100;
/** Messages of requests behind a walk that are read together: a request may have a thousand. */
const MOST_LATE = 200;

/** The first requests, as many as are read together; at least one. Of rows with request_id and last_key. */
export function lateAtOnce(rows: readonly AnyRow[]): {
  readonly late: readonly RequestId[];
  readonly isMore: boolean;
} {
  const late: RequestId[] = [];
  let messages = 0;
  for (const { request_id, last_key } of rows) {
    if (messages >= MOST_LATE) break;
    late.push(String(request_id) as RequestId);
    messages += last_key === null ? 0 : recipientIndexOf(last_key as MsgKey) + 1;
  }
  return { late, isMore: late.length < rows.length || rows.length === LATE_AT_ONCE };
}

/** Lists that are looked at together: each may be as large as a request. */
export const LISTS_AT_ONCE = 4;

const ENDED: readonly ReservationState[] = ['COMPLETED', 'CANCELLED'];
export const endOf = (status: ReservationState, now: number): number | null =>
  ENDED.includes(status) ? now : null;

export function newReservationOf(given: NewReservation): Reservation {
  const { lists, quota, idempotency, ...reservation } = given;
  const { recipients: expected, bytes } = sizeOf(lists);
  const counts = { expected, sent: 0, delivered: 0, failed: 0, bytes: bytes + bytesOf([given.source]) };
  return {
    ...reservation,
    status: 'PENDING',
    ...counts,
    updatedAt: reservation.createdAt,
    endedAt: undefined,
  };
}

/** A row with what an account's reservations have that have not ended. */
export const openSums = (account: string): string => `
  SELECT count(*) AS reservations, coalesce(sum(expected - sent), 0) AS recipients, coalesce(sum(bytes), 0) AS bytes
    FROM reservation WHERE account = ${account} AND ended_at IS NULL`;

/** What an addition finds no room for; `open` is the row of `openSums`. A kind of which nothing is added has room. */
export function usedUpBy(
  added: ReservationQuota,
  quota: ReservationQuota,
  open: AnyRow | undefined,
): UsedUp | undefined {
  for (const what of ['reservations', 'recipients', 'bytes'] as const) {
    const used = Number(open?.[what] ?? 0);
    if (added[what] > 0 && used + added[what] > quota[what]) {
      return { kind: 'usedUp', what, used, added: added[what] };
    }
  }
  return undefined;
}

/** How many recipients lists have, and how much these take. */
export function sizeOf(lists: NewReservation['lists']): Omit<ReservationQuota, 'reservations'> {
  let [recipients, bytes] = [0, 0];
  for (const list of lists) {
    recipients += list.recipients.length;
    bytes += bytesOf(list.recipients);
  }
  return { recipients, bytes };
}

/** As JSON without a seal. That of a list is the sum of those of its entries. */
export function bytesOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value) ?? ''), 0);
}

export function storedListsOf(
  { resvKey, account }: Pick<Reservation, 'resvKey' | 'account'>,
  lists: NewReservation['lists'],
): StoredList[] {
  return lists.map(list => {
    const { length } = list.recipients;
    return { ...list, resvKey, account, size: length, total: length, delivered: 0, failed: 0 };
  });
}

/** The next lists that can be read. One that cannot stays where it is, and its reservation under way, until an operator decides. */
export async function readableLists(
  limit: number,
  { read }: Column<readonly ReservedRecipient[]>,
  unreadable: UnreadableRows,
  rowsAfter: (requestId: string, limit: number) => Promise<readonly AnyRow[]>,
): Promise<RecipientList[]> {
  const lists: RecipientList[] = [];
  let after = '';
  for (;;) {
    const rows = await rowsAfter(after, limit);
    const found = unreadable.each('reservation_list', rows, row => ({
      requestId: String(row.request_id) as RequestId,
      recipients: read(row.recipients, row),
    }));
    lists.push(...found);
    if (rows.length < limit || lists.length >= limit) return lists.slice(0, limit);
    after = String(rows.at(-1)?.request_id);
  }
}

/** How many recipients are released: if the list has another number by now, some were taken out meanwhile. */
export function totalOf({ request, ended }: Pick<ReleaseOrder, 'request' | 'ended'>): number {
  return request.messages.length + ended.length;
}

export function recipientIn(
  recipients: readonly ReservedRecipient[],
  msgKey: MsgKey,
): ReservedRecipient | undefined {
  const requestId = requestIdOf(msgKey);
  return recipients.find(({ index }) => msgKeyOf(requestId, index) === msgKey);
}

/** What is left of a list without one of its recipients; undefined if it has no such recipient. */
export function without(
  recipients: readonly ReservedRecipient[],
  msgKey: MsgKey,
): readonly ReservedRecipient[] | undefined {
  const requestId = requestIdOf(msgKey);
  const left = recipients.filter(({ index }) => msgKeyOf(requestId, index) !== msgKey);
  return left.length < recipients.length ? left : undefined;
}

export function listedOf(
  requestId: RequestId,
  recipients: readonly ReservedRecipient[],
): readonly ListedRecipient[] {
  return recipients.map(({ index, to }) => ({ msgKey: msgKeyOf(requestId, index), to, isSent: false }));
}

/** Reads a row with msg_key, account and recipient. */
export function sentRecipientOf(row: AnyRow, { content, unreadable }: Records): ListedRecipient {
  const to = unreadable.value('message', row, () => content.to.read(row.recipient, row), UNREADABLE);
  return { msgKey: String(row.msg_key) as MsgKey, to, isSent: true };
}

/** Those of a list with one of these numbers with their size, and the others. */
export function sortedOut(
  list: { readonly requestId: RequestId; readonly resvKey: ResvKey },
  recipients: readonly ReservedRecipient[],
  to: readonly string[],
): {
  readonly found: readonly WaitingRecipient[];
  readonly left: readonly ReservedRecipient[];
  readonly bytes: number;
} {
  const wanted = recipients.filter(recipient => to.includes(recipient.to));
  const left = recipients.filter(recipient => !to.includes(recipient.to));
  const found = wanted.map(({ index, ...recipient }) => ({
    ...recipient,
    msgKey: msgKeyOf(list.requestId, index),
    resvKey: list.resvKey,
  }));
  return { found, left, bytes: bytesOf(wanted) };
}

const SOONEST_LOOK_MS = 5_000;
const LATEST_LOOK_MS = 30 * 60_000;
export const firstLook = (now: number): number => now + SOONEST_LOOK_MS;

/** When the messages of a list are counted again: after a quarter of its age; null when all have ended. */
export function nextCount(
  list: { readonly total: number; readonly ended: number; readonly releasedAt: number },
  now: number,
): number | null {
  if (list.ended >= list.total) return null;
  const quarter = Math.ceil((now - list.releasedAt) / 4);
  return now + Math.min(LATEST_LOOK_MS, Math.max(SOONEST_LOOK_MS, quarter));
}
