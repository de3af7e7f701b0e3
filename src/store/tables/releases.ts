/** Reservations whose time has come, and what becomes of their messages. `release` itself is on the way of sends (`sqlite/`, `postgres/`). */
import type { ResvKey } from '../../domain/ids.ts';
import type { ReservationReleases } from '../port/reservation-store.ts';
import { bigint, integer, optional, text } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { RESERVATION_HEAD } from '../records/reservation-columns.ts';
import { nextCount, readableLists } from '../reservations.ts';
import { listsOf, sql, type Tables, unnest, type Work } from './tables.ts';

const HAS_WORK = `
  SELECT CASE WHEN EXISTS (SELECT 1 FROM reservation WHERE status = 'PENDING' AND send_at <= :now)
                OR EXISTS (SELECT 1 FROM reservation WHERE status = 'PROCESSING') THEN 1 ELSE 0 END AS found`;
const BEGIN = `
  UPDATE reservation SET status = CASE WHEN expected = 0 THEN 'COMPLETED' ELSE 'PROCESSING' END, updated_at = :now,
         ended_at = CASE WHEN expected = 0 THEN :now::bigint END
   WHERE status = 'PENDING' AND resv_key = ANY (ARRAY(
     SELECT resv_key FROM reservation WHERE status = 'PENDING' AND send_at <= :now
      ORDER BY send_at LIMIT :limit FOR UPDATE SKIP LOCKED))`;
/**
 * One step in the index for each account, and then those of each. Which ones is read from the index alone: an account may have
 * 10,000, and they are asked for many times a second.
 */
const UNDER_WAY = `
  WITH RECURSIVE busy (owner) AS (
    SELECT min(account) FROM reservation WHERE status = 'PROCESSING'
     UNION ALL
    SELECT (SELECT min(account) FROM reservation WHERE status = 'PROCESSING' AND account > busy.owner)
      FROM busy WHERE owner IS NOT NULL)
  SELECT ${RESERVATION_HEAD} FROM busy CROSS JOIN LATERAL (
    SELECT * FROM reservation WHERE reservation.resv_key = ANY (ARRAY(
      SELECT turn.resv_key FROM reservation AS turn /* INDEXED BY reservation_by_turn */
       WHERE turn.status = 'PROCESSING' AND turn.account = busy.owner
       ORDER BY turn.send_at, turn.resv_key LIMIT :ofEach OFFSET :skipped)) OFFSET 0) AS reservation
   ORDER BY account, send_at, resv_key`;
const WAITING = `
  SELECT * FROM reservation_list
   WHERE resv_key = :resvKey AND request_id > :after AND released_at IS NULL ORDER BY request_id LIMIT :limit`;
const COMPLETE_EMPTY = `
  UPDATE reservation SET status = 'COMPLETED', updated_at = :now, ended_at = :now
   WHERE resv_key = :resvKey AND status = 'PROCESSING' AND NOT EXISTS (
     SELECT 1 FROM reservation_list AS list WHERE list.resv_key = :resvKey AND list.released_at IS NULL)`;

const ANY_TO_COUNT = 'SELECT request_id FROM reservation_list WHERE look_at <= :now ORDER BY look_at LIMIT 1';
const TO_COUNT = `
  SELECT request_id, resv_key, total, delivered, failed, released_at FROM reservation_list
   WHERE look_at <= :now ORDER BY look_at LIMIT :limit FOR UPDATE SKIP LOCKED`;
const ENDED = `
  SELECT of_list, count(*) FILTER (WHERE state = 'delivered') AS delivered,
         count(*) FILTER (WHERE state <> 'delivered') AS failed
    FROM unnest(:ids::text[]) AS given (of_list)
   CROSS JOIN LATERAL (
     SELECT * FROM message WHERE msg_key >= of_list AND msg_key < of_list || 'zzzz' OFFSET 0) AS message
   GROUP BY of_list`;
const COUNT_COLUMNS = {
  requestId: text<string>('request_id'),
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

export function releaseTable(
  tables: Tables,
  { reservationList, reservationOf, unreadable }: Records,
): Omit<ReservationReleases, 'release' | 'ready'> {
  function* count(now: number, limit: number): Work<boolean> {
    const rows = yield* sql(TO_COUNT, { now, limit });
    const found = yield* sql(ENDED, { ids: rows.map(row => String(row.request_id)) });
    const ended = new Map(found.map(row => [row.of_list, row]));
    const added = new Map<ResvKey, { resvKey: ResvKey; delivered: number; failed: number }>();
    const counted = rows.map(row => {
      const before = { delivered: Number(row.delivered), failed: Number(row.failed) };
      const after = ended.get(row.request_id);
      // Messages that are past their time may be gone.
      const delivered = Math.max(before.delivered, Number(after?.delivered ?? 0));
      const failed = Math.max(before.failed, Number(after?.failed ?? 0));
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
      return {
        requestId: String(row.request_id),
        delivered,
        failed,
        lookAt: nextCount(list, now) ?? undefined,
      };
    });
    // Sorted, so that two who change the same do not wait for each other.
    const sums = [...added.values()].sort((a, b) => (a.resvKey < b.resvKey ? -1 : 1));
    yield* sql(UPDATE_COUNTS, listsOf('now', COUNT_COLUMNS, counted));
    yield* sql(ADD_COUNTS, listsOf('added', ADDED_COLUMNS, sums));
    return rows.length === limit;
  }

  return {
    async hasWork(now) {
      const [row] = await tables.read(undefined, HAS_WORK, { now });
      return row?.found === 1;
    },
    begin: async (now, limit) =>
      (await tables.write(undefined, undefined, () => sql(BEGIN, { now, limit }))).count,
    async underWay(ofEach, skipped) {
      const rows = await tables.read(undefined, UNDER_WAY, { ofEach, skipped });
      return unreadable.each('reservation', rows, reservationOf);
    },
    waitingLists: (resvKey, most) =>
      readableLists(most, reservationList.recipients, unreadable, (after, limit) =>
        tables.read(undefined, WAITING, { resvKey, after, limit }),
      ),
    async complete(resvKey, now) {
      const work = () => sql(COMPLETE_EMPTY, { resvKey, now });
      return (await tables.write(undefined, undefined, work)).count === 1;
    },
    async count(now, limit) {
      if ((await tables.read(undefined, ANY_TO_COUNT, { now })).count === 0) return false;
      return tables.write(undefined, undefined, () => count(now, limit), limit);
    },
  };
}
