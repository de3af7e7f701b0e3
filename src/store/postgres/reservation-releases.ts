/** Reservations whose time has come: their lists go into the queue, and what becomes of them is counted. */
import { type RequestId, type ResvKey, timeOfPrefix, timePrefix } from '../../domain/ids.ts';
import type { ReleaseOrder, ReservationReleases } from '../port/reservation-store.ts';
import { bigint, type ColumnsOf, columnNames, integer, optional, text } from '../records/columns.ts';
import { MESSAGE_CHANGE_COLUMNS, MESSAGE_COLUMNS } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { REPORT_COLUMNS } from '../records/report-columns.ts';
import { RESERVATION_HEAD } from '../records/reservation-columns.ts';
import { FOLLOWERS, firstLook, nextCount, readableLists, totalOf } from '../reservations.ts';
import { StoreFault } from '../store-fault.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import type { Database, Queryable } from './database.ts';
import type { Grouping } from './grouping.ts';
import { acceptAll } from './messages.ts';
import { createPartitionsAt } from './partitions.ts';
import { INSERT_REPORTS } from './settle-writes.ts';

const DAY_MS = 24 * 3_600_000;
const BEGIN = `
  UPDATE reservation SET status = CASE WHEN expected = 0 THEN 'COMPLETED' ELSE 'PROCESSING' END, updated_at = :now,
         ended_at = CASE WHEN expected = 0 THEN :now::bigint END
   WHERE status = 'PENDING' AND resv_key = ANY (ARRAY(
     SELECT resv_key FROM reservation WHERE status = 'PENDING' AND send_at <= :now
      ORDER BY send_at LIMIT :limit FOR UPDATE SKIP LOCKED))`;
/** One step in the index for each account, and then those of each: all accounts together may have very many. */
const UNDER_WAY = `
  WITH RECURSIVE busy (owner) AS (
    (SELECT account FROM reservation WHERE status = 'PROCESSING' ORDER BY account LIMIT 1)
    UNION ALL
    SELECT next.account FROM busy CROSS JOIN LATERAL (
      SELECT account FROM reservation
       WHERE status = 'PROCESSING' AND account > busy.owner ORDER BY account LIMIT 1
    ) AS next
  )
  SELECT ${RESERVATION_HEAD} FROM busy CROSS JOIN LATERAL (
    SELECT * FROM reservation
     WHERE status = 'PROCESSING' AND account = busy.owner ORDER BY send_at, resv_key LIMIT $1 OFFSET $2
  ) AS reservation`;
/** In the order of their keys, so that two who lock several do not wait for each other. */
const LOCK_ALL = `
  SELECT resv_key FROM reservation WHERE resv_key = ANY ($1::text[]) AND status = 'PROCESSING'
   ORDER BY resv_key FOR UPDATE`;
const ASKED_COLUMNS = { requestId: text<RequestId>('request_id'), total: integer('total') };
const RELEASE_LISTS = `
  UPDATE reservation_list SET recipients = '[]', released_at = :now, look_at = :lookAt
    FROM ${unnest('asked', ASKED_COLUMNS)}
   WHERE reservation_list.request_id = asked.request_id AND reservation_list.total = asked.total AND released_at IS NULL
  RETURNING reservation_list.request_id`;
const SENT_COLUMNS = { resvKey: text<ResvKey>('resv_key'), sent: integer('sent') };
const ADD_SENT = `
  UPDATE reservation SET sent = reservation.sent + added.sent, updated_at = :now,
         status = CASE WHEN reservation.sent + added.sent >= expected THEN 'COMPLETED' ELSE status END,
         ended_at = CASE WHEN reservation.sent + added.sent >= expected THEN :now::bigint END
    FROM ${unnest('added', SENT_COLUMNS)} WHERE reservation.resv_key = added.resv_key`;
const ENDED_COLUMNS = { ...MESSAGE_CHANGE_COLUMNS, ...MESSAGE_COLUMNS };
const INSERT_ENDED = `
  INSERT INTO message (${columnNames(ENDED_COLUMNS)}) SELECT * FROM ${unnest('ended', ENDED_COLUMNS)}`;
const INSERT_LATE = `
  INSERT INTO late_request (follower, request_id, stored_at)
  SELECT follower, request_id, :now::bigint
    FROM unnest(:followers::text[]) AS follower, unnest(:ids::text[]) AS request_id
  ON CONFLICT DO NOTHING`;
/** The walk of texts has passed them, or will not come to them while their text is within its time. */
const LEAVE_TEXTS = `
  INSERT INTO text_left (request_id, look_at)
  SELECT asked.request_id, :lookAt::bigint FROM unnest(:ids::text[]) AS asked (request_id)
   WHERE (SELECT text_position.request_id FROM text_position) >= asked.request_id OR asked.request_id > :present
  ON CONFLICT DO NOTHING`;
const COMPLETE_EMPTY = `
  UPDATE reservation SET status = 'COMPLETED', updated_at = $2, ended_at = $2
   WHERE resv_key = $1 AND status = 'PROCESSING' AND NOT EXISTS (
     SELECT FROM reservation_list AS list WHERE list.resv_key = $1 AND list.released_at IS NULL)`;
const READY = `
  SELECT count(*) AS ready FROM (
    SELECT FROM job WHERE carrier = :carrier AND account = :account AND owner IS NULL LIMIT :limit) AS ready`;
const COUNTED = `
  SELECT list.*, found.* FROM (
    SELECT request_id, resv_key, total, delivered, failed, released_at FROM reservation_list
     WHERE look_at <= :now ORDER BY look_at LIMIT :limit FOR UPDATE SKIP LOCKED) AS list
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE state = 'delivered') AS delivered_now,
            count(*) FILTER (WHERE state <> 'delivered') AS failed_now
       FROM message WHERE msg_key >= list.request_id AND msg_key < list.request_id || 'zzzz'
   ) AS found`;
const COUNT_COLUMNS: ColumnsOf<{
  requestId: string;
  delivered: number;
  failed: number;
  lookAt: number | undefined;
}> = {
  requestId: text('request_id'),
  delivered: integer('delivered'),
  failed: integer('failed'),
  lookAt: optional(bigint('look_at')),
};
const UPDATE_COUNTS = `
  UPDATE reservation_list SET delivered = now.delivered, failed = now.failed, look_at = now.look_at
    FROM ${unnest('now', COUNT_COLUMNS)} WHERE reservation_list.request_id = now.request_id`;
const ADDED_COLUMNS = {
  resvKey: text<ResvKey>('resv_key'),
  delivered: integer('delivered'),
  failed: integer('failed'),
};
const ADD_COUNTS = `
  UPDATE reservation SET delivered = reservation.delivered + added.delivered, failed = reservation.failed + added.failed
    FROM ${unnest('added', ADDED_COLUMNS)} WHERE reservation.resv_key = added.resv_key`;
export function postgresReleases(db: Database, records: Records, grouping: Grouping): ReservationReleases {
  const { reservationOf, unreadable } = records;
  const { recipients: recipientsColumn } = records.reservationList;

  const releases = grouping.group<ReleaseOrder, boolean>({
    commit: orders => db.transaction(tx => releaseAll(tx, orders)),
    sizeOf: totalOf,
  });

  /** Days ahead whose partitions are known to be there. */
  const days = new Set<number>();

  /** Keys of one that was moved to an earlier time may lie beyond the days that are made ahead. */
  async function dayOfKeys({ request: { requestId }, now }: ReleaseOrder): Promise<void> {
    const at = timeOfPrefix(requestId) ?? 0;
    const day = Math.floor(at / DAY_MS);
    if (at <= now || days.has(day)) return;
    if (!(await createPartitionsAt(db, at)))
      throw new StoreFault('didNotHappen', 'the day of its keys is busy');
    days.add(day);
  }

  /** The lists of several reservations together; each is released if its reservation is on its way and it has not been. */
  async function releaseAll(tx: Queryable, orders: readonly ReleaseOrder[]): Promise<boolean[]> {
    const heads = await tx.query(LOCK_ALL, [[...new Set(orders.map(({ resvKey }) => resvKey))]]);
    const onTheirWay = new Set(heads.map(row => row.resv_key));
    const asked = orders.filter(({ resvKey }) => onTheirWay.has(resvKey));
    if (asked.length === 0) return orders.map(() => false);
    const now = Math.max(...asked.map(order => order.now));
    const lookAt = firstLook(now);
    const lists = asked.map(order => ({ requestId: order.request.requestId, total: totalOf(order) }));
    const marked = await tx.query(RELEASE_LISTS, {
      ...arraysOf('asked', ASKED_COLUMNS, lists),
      now,
      lookAt,
    });
    const fresh = new Set(marked.map(row => row.request_id));
    // Of two that are the same, one.
    const released = asked.filter(({ request }) => fresh.delete(request.requestId));
    if (released.length > 0) await writeReleased(tx, released, now, lookAt);
    const done = new Set(released);
    return orders.map(order => done.delete(order));
  }

  async function writeReleased(
    tx: Queryable,
    released: readonly ReleaseOrder[],
    now: number,
    lookAt: number,
  ): Promise<void> {
    const requests = released.map(({ request }) => request);
    const ids = requests.map(({ requestId }) => requestId);
    const sent = new Map<ResvKey, number>();
    for (const order of released) {
      sent.set(order.resvKey, (sent.get(order.resvKey) ?? 0) + totalOf(order));
    }
    const sums = [...sent].map(([resvKey, count]) => ({ resvKey, sent: count }));
    const writes: Promise<unknown>[] = [
      acceptAll(tx, records, requests),
      tx.query(INSERT_LATE, { followers: Object.values(FOLLOWERS), ids, now }),
      tx.query(LEAVE_TEXTS, { ids, lookAt, present: timePrefix(now) }),
      tx.query(ADD_SENT, { ...arraysOf('added', SENT_COLUMNS, sums), now }),
    ];
    const ended = released.flatMap(order =>
      order.ended.map(each => ({ ...each, account: order.request.account })),
    );
    if (ended.length > 0) {
      const rows = ended.map(({ message, history, report, account }) => {
        const end = { state: 'failed', step: 0, finishedAt: report.reportedAt } as const;
        return { ...message, ref: message.ref, account, history, ...end };
      });
      const reports = ended.map(({ report }) => report);
      writes.push(
        tx.query(INSERT_ENDED, arraysOf('ended', { ...MESSAGE_CHANGE_COLUMNS, ...records.message }, rows)),
        tx.query(INSERT_REPORTS, arraysOf('record', REPORT_COLUMNS, reports)),
      );
    }
    await Promise.all(writes);
  }

  async function count(tx: Queryable, now: number, limit: number): Promise<boolean> {
    const rows = await tx.query(COUNTED, { now, limit });
    if (rows.length === 0) return false;
    const added = new Map<ResvKey, { resvKey: ResvKey; delivered: number; failed: number }>();
    const counted = rows.map(row => {
      const before = { delivered: Number(row.delivered), failed: Number(row.failed) };
      // Messages that are past their time may be gone.
      const delivered = Math.max(before.delivered, Number(row.delivered_now));
      const failed = Math.max(before.failed, Number(row.failed_now));
      const resvKey = String(row.resv_key) as ResvKey;
      const sum = added.get(resvKey) ?? { resvKey, delivered: 0, failed: 0 };
      sum.delivered += delivered - before.delivered;
      sum.failed += failed - before.failed;
      added.set(resvKey, sum);
      const list = {
        total: Number(row.total),
        ended: delivered + failed,
        releasedAt: Number(row.released_at),
      };
      const lookAt = nextCount(list, now) ?? undefined;
      return { requestId: String(row.request_id), delivered, failed, lookAt };
    });
    // Sorted, so that two who change the same do not wait for each other.
    const sums = [...added.values()].sort((a, b) => (a.resvKey < b.resvKey ? -1 : 1));
    await tx.query(UPDATE_COUNTS, arraysOf('now', COUNT_COLUMNS, counted));
    await tx.query(ADD_COUNTS, arraysOf('added', ADDED_COLUMNS, sums));
    return rows.length === limit;
  }

  return {
    async hasWork(now) {
      const [row] = await db.query(
        `SELECT EXISTS (SELECT FROM reservation WHERE status = 'PENDING' AND send_at <= $1)
             OR EXISTS (SELECT FROM reservation WHERE status = 'PROCESSING') AS found`,
        [now],
      );
      return row?.found === true;
    },
    begin: async (now, limit) => (await db.query(BEGIN, { now, limit })).count,
    underWay: async (ofEach, skipped) =>
      unreadable.each('reservation', await db.query(UNDER_WAY, [ofEach, skipped]), reservationOf),
    async waitingLists(resvKey, limit) {
      return readableLists(limit, recipientsColumn, unreadable, (after, count) =>
        db.query(
          `SELECT * FROM reservation_list
            WHERE resv_key = $1 AND request_id > $2 AND released_at IS NULL ORDER BY request_id LIMIT $3`,
          [resvKey, after, count],
        ),
      );
    },
    complete: async (resvKey, now) => (await db.query(COMPLETE_EMPTY, [resvKey, now])).count === 1,
    async release(order) {
      await dayOfKeys(order);
      return releases.add(order);
    },
    async ready(account, carrier, limit) {
      const [row] = await db.query(READY, { account, carrier, limit });
      return Number(row?.ready ?? 0);
    },
    count: (now, limit) => db.retrying(() => db.transaction(tx => count(tx, now, limit))),
  };
}
