/** Reservations whose time has come: their lists go into the queue. */
import { type RequestId, type ResvKey, timeOfPrefix, timePrefix } from '../../domain/ids.ts';
import type { ReleaseOrder } from '../port/reservation-store.ts';
import { columnNames, integer, text } from '../records/columns.ts';
import { MESSAGE_CHANGE_COLUMNS, MESSAGE_COLUMNS } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { REPORT_COLUMNS } from '../records/report-columns.ts';
import { FOLLOWERS, firstLook, totalOf } from '../reservations.ts';
import { StoreFault } from '../store-fault.ts';
import { DELETE_CANCELLED, type OwnToEngine, SWEPT_AT_ONCE } from '../tables/reservations.ts';
import { unnest } from '../tables/tables.ts';
import { stretchWalk } from './age-walk.ts';
import { arraysOf } from './arrays.ts';
import type { Database, Queryable } from './database.ts';
import type { Grouping } from './grouping.ts';
import { acceptAll } from './messages.ts';
import { createPartitionsAt } from './partitions.ts';
import { INSERT_REPORTS } from './settle-writes.ts';

const LAST_KEY = '~';
const DAY_MS = 24 * 3_600_000;
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
const READY = `
  SELECT count(*) AS ready FROM (
    SELECT FROM job WHERE carrier = :carrier AND account = :account AND owner IS NULL LIMIT :limit) AS ready`;
export function postgresReleases(db: Database, records: Records, grouping: Grouping): OwnToEngine {
  const walkCancelled = stretchWalk(db, {
    ...{ table: 'reservation', id: 'resv_key', first: '' },
    condition: "status = 'CANCELLED'",
  });

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

  return {
    async release(order) {
      await dayOfKeys(order);
      return releases.add(order);
    },
    async ready(account, carrier, limit) {
      const [row] = await db.query(READY, { account, carrier, limit });
      return Number(row?.ready ?? 0);
    },
    walkCancelled: () =>
      walkCancelled(LAST_KEY, SWEPT_AT_ONCE, async (after, last) => {
        const { count } = await db.query(DELETE_CANCELLED, { after, last });
        return count;
      }),
  };
}
