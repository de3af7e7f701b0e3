/**
 * Webhook deliveries on PostgreSQL. Two nodes claim different rows (SKIP LOCKED), and a row that a living node holds is
 * left alone; which nodes live is asked in the same statement, by the clock of the database.
 */
import { type AccountId, type MsgKey, timePrefix } from '../../domain/ids.ts';
import { INBOUND_STEP } from '../../domain/inbound/inbound.ts';
import type { CompletedDelivery, DeliveryKey, WebhookStore } from '../port/webhook-store.ts';
import { bigint, type ColumnsOf, integer, json, readerOf, text } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { claimedDeliveryOf, deliveryViewOf } from '../records/webhook-columns.ts';
import type { Parameter, Tables } from '../tables/tables.ts';
import { unnest } from '../tables/tables.ts';
import { webhookSettingTable } from '../tables/webhook-settings.ts';
import { deliveryListQuery, deliveryQuery } from '../webhook-list.ts';
import { hurried, ONLY_REPLAYED, replayed } from '../webhook-replay.ts';
import { arraysOf } from './arrays.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Row } from './database.ts';
import type { Grouping } from './grouping.ts';
import { DatedQueue, LONG_PATIENCE, LongAnswer, NumberedQueue, ofEach } from './long-look.ts';

const KEY_COLUMNS: ColumnsOf<DeliveryKey> = { msgKey: text('msg_key'), step: integer('step') };
const keyOf = readerOf(KEY_COLUMNS);

const COMPLETED_COLUMNS: ColumnsOf<CompletedDelivery> = {
  ...KEY_COLUMNS,
  owner: text('owner'),
  state: text('state'),
  at: bigint('at'),
  attempts: integer('attempts'),
  recent: json('recent'),
};

/**
 * A delivery may have been made by a replay already: it need not yield any more. A record may be twice in the queue, if it
 * was returned to it after that. Records in an open batch stay where they are. In the order of the index: by number alone a plan may walk
 * through the records of every account.
 */
const COLLECT = `
  WITH taken AS (
    DELETE FROM report_queue WHERE seq = ANY (ARRAY(
      SELECT seq FROM report_queue WHERE account = :account AND batch IS NULL AND seq >= :from::bigint
       ORDER BY batch, seq LIMIT :limit FOR UPDATE SKIP LOCKED))
    RETURNING msg_key, step, account, is_last, reported_at, seq
  ), received AS (
    UPDATE inbound SET waiting = NULL WHERE msg_key = ANY (ARRAY(
      SELECT msg_key FROM inbound WHERE account = :account AND waiting = 1 AND batch IS NULL
       ORDER BY msg_key LIMIT :limit FOR UPDATE SKIP LOCKED))
    RETURNING msg_key, ${INBOUND_STEP} AS step, account, 1 AS is_last, received_at AS reported_at
  ), moved AS (
    INSERT INTO webhook_delivery
           (msg_key, step, account, is_last, reported_at, state, next_at, give_up_at, attempts, recent)
    SELECT DISTINCT ON (msg_key, step)
           msg_key, step, account, is_last, reported_at, 'pending', least(reported_at, :now), :now::bigint + :windowMs::bigint, 0, '[]'
      FROM (SELECT msg_key, step, account, is_last, reported_at FROM taken UNION ALL SELECT * FROM received) AS gathered
     WHERE is_last >= :leastLast
    ON CONFLICT (msg_key, step) DO UPDATE SET next_at = excluded.next_at, replay_at = NULL
     WHERE webhook_delivery.state = 'pending' AND webhook_delivery.replay_at IS NOT NULL
  )
  SELECT greatest((SELECT count(*) FROM taken), (SELECT count(*) FROM received))::integer AS taken,
         (SELECT max(seq) FROM taken) AS last`;

/** Of a circuit. */
const NODE_LIVES =
  'EXISTS (SELECT FROM node WHERE node.id = webhook_circuit.node AND alive_until > clock_timestamp())';

const IS_FREE = `
  (owner IS NULL OR NOT EXISTS (SELECT FROM node WHERE node.id = owner AND alive_until > clock_timestamp()))`;

/** The last limit takes nothing away: without it the planner expects a tenth of all replays, and reads the whole table. */
const CLAIM = `
  WITH due AS (
    SELECT msg_key, step, next_at AS turn, 0 AS is_replay FROM webhook_delivery
     WHERE state = 'pending' AND account = :account AND next_at <= :now AND next_at >= :from
       AND owner IS DISTINCT FROM :owner AND ${IS_FREE}
     ORDER BY next_at, msg_key, step LIMIT :limit FOR UPDATE SKIP LOCKED
  ), replays AS (
    SELECT msg_key, step, replay_at AS turn, 1 AS is_replay FROM webhook_delivery
     WHERE state = 'pending' AND account = :account AND replay_at <= :now AND next_at > :now
       AND owner IS DISTINCT FROM :owner AND ${IS_FREE}
     ORDER BY replay_at, msg_key, step LIMIT least(:replays, :limit - (SELECT count(*) FROM due)) FOR UPDATE SKIP LOCKED
  )
  UPDATE webhook_delivery SET owner = :owner
    FROM (SELECT * FROM due UNION ALL SELECT * FROM replays LIMIT :limit) AS taken
   WHERE webhook_delivery.msg_key = taken.msg_key AND webhook_delivery.step = taken.step
  RETURNING webhook_delivery.msg_key, webhook_delivery.step, attempts, recent, give_up_at, turn, is_replay`;

const REPORTS = `
  SELECT report.* FROM ${unnest('wanted', KEY_COLUMNS)}
   CROSS JOIN LATERAL (
     SELECT * FROM report WHERE report.msg_key = wanted.msg_key AND report.step = wanted.step LIMIT 1
   ) AS report`;

const INBOUND = 'SELECT * FROM inbound WHERE msg_key = ANY ($1::text[])';

const COMPLETE = `
  UPDATE webhook_delivery
     SET state = now.state, owner = NULL, attempts = now.attempts, recent = now.recent,
         next_at = CASE WHEN now.state = 'pending' AND NOT ${ONLY_REPLAYED} THEN now.at ELSE next_at END,
         replay_at = CASE WHEN now.state = 'pending' AND ${ONLY_REPLAYED} THEN now.at END,
         finished_at = CASE WHEN now.state = 'pending' THEN NULL ELSE now.at END
    FROM ${unnest('now', COMPLETED_COLUMNS)}
   WHERE webhook_delivery.msg_key = now.msg_key AND webhook_delivery.step = now.step
     AND webhook_delivery.owner = now.owner AND webhook_delivery.state = 'pending'`;

const GIVE_BACK = `
  UPDATE webhook_delivery SET owner = NULL
   WHERE owner = :owner AND account = :account
     AND NOT EXISTS (SELECT FROM ${unnest('kept', KEY_COLUMNS)}
                      WHERE kept.msg_key = webhook_delivery.msg_key AND kept.step = webhook_delivery.step)
  RETURNING next_at`;

/** Jumps through the index from account to account. */
const PENDING = `
  WITH RECURSIVE waiting AS (
    (SELECT account, next_at FROM webhook_delivery WHERE state = 'pending' ORDER BY account, next_at LIMIT 1)
    UNION ALL
    SELECT next.account, next.next_at FROM waiting CROSS JOIN LATERAL (
      SELECT account, next_at FROM webhook_delivery
       WHERE state = 'pending' AND account > waiting.account ORDER BY account, next_at LIMIT 1
    ) AS next
  )
  SELECT account, least(next_at, (
           SELECT replay_at FROM webhook_delivery AS first
            WHERE first.state = 'pending' AND first.replay_at IS NOT NULL AND first.account = waiting.account
            ORDER BY replay_at LIMIT 1)) AS next_at
    FROM waiting`;

/** Chosen in a list of its own: a plan may run a sub-select again for each row, and then take more than the limit. */
const RETURN_TO_QUEUE = `
  WITH free AS MATERIALIZED (
    SELECT msg_key, step FROM webhook_delivery
     WHERE state = 'pending' AND account = :account AND owner IS DISTINCT FROM :owner AND ${IS_FREE}
     ORDER BY next_at, msg_key, step LIMIT :limit FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM webhook_delivery USING free
     WHERE webhook_delivery.msg_key = free.msg_key AND webhook_delivery.step = free.step
    RETURNING account, webhook_delivery.msg_key, webhook_delivery.step, is_last, reported_at
  )
  , queued AS (
    INSERT INTO report_queue (account, msg_key, step, is_last, reported_at)
    SELECT * FROM taken WHERE step <> ${INBOUND_STEP} ORDER BY reported_at, msg_key, step
  ), received AS (
    UPDATE inbound SET waiting = 1 FROM taken WHERE inbound.msg_key = taken.msg_key AND taken.step = ${INBOUND_STEP}
  )
  SELECT msg_key FROM taken`;

const SCAN =
  'SELECT msg_key FROM report WHERE msg_key > :after AND msg_key < :before ORDER BY msg_key LIMIT :limit';

const REPLAY = `
  INSERT INTO webhook_delivery
         (msg_key, step, account, is_last, reported_at, state, next_at, replay_at, give_up_at, attempts, recent)
  SELECT msg_key, step, account, is_last, reported_at, 'pending', :giveUpAt, least(reported_at, :now), :giveUpAt, 0, '[]' FROM report
   WHERE msg_key > :after AND msg_key <= :last AND account = :account
     AND reported_at >= :from AND reported_at < :until AND is_last >= :leastLast
   ORDER BY msg_key, step
  ON CONFLICT (msg_key, step) DO UPDATE SET ${replayed(':now')} WHERE webhook_delivery.owner IS NULL`;

/** Lists of reservations that are replayed in one transaction. */
const LISTS_AT_ONCE = 100;

const SCAN_MOVED = `
  SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
   WHERE reservation.account = :account AND released_at >= :sentFrom AND released_at < :until
     AND (request_id < :first OR request_id >= :end) AND request_id > :after
   ORDER BY request_id LIMIT :most`;

const SCAN_INBOUND = `
  SELECT msg_key FROM inbound
   WHERE account = :account AND msg_key > :after AND msg_key < :before ORDER BY msg_key LIMIT :limit`;

const REPLAY_INBOUND = `
  INSERT INTO webhook_delivery
         (msg_key, step, account, is_last, reported_at, state, next_at, replay_at, give_up_at, attempts, recent)
  SELECT msg_key, ${INBOUND_STEP}, account, 1, received_at, 'pending', :giveUpAt, least(received_at, :now), :giveUpAt, 0, '[]'
    FROM inbound
   WHERE msg_key > :after AND msg_key <= :last AND account = :account
     AND received_at >= :from AND received_at < :until AND coalesce(waiting, 0) = 0
   ORDER BY msg_key
  ON CONFLICT (msg_key, step) DO UPDATE SET ${replayed(':now')} WHERE webhook_delivery.owner IS NULL`;

const FIND = deliveryQuery(position => `$${position}`);

/** One that ended begins anew; one that is pending keeps its window and the number of its attempts. */
const BEGIN_AGAIN = `
  state = 'pending', finished_at = NULL,
  give_up_at = CASE WHEN state = 'pending' THEN give_up_at ELSE :giveUpAt END,
  attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END`;

/** Due since ever, so it comes first. */
const RETRY = `
  UPDATE webhook_delivery SET ${BEGIN_AGAIN}, next_at = 0
   WHERE msg_key = :msgKey AND step = :step`;

const SCAN_DELIVERIES = `
  SELECT msg_key, step FROM webhook_delivery
   WHERE account = :account AND (msg_key, step) > (:afterKey, :afterStep)
   ORDER BY msg_key, step LIMIT :limit`;

const RETRY_RANGE = `
  UPDATE webhook_delivery
     SET ${BEGIN_AGAIN},
         next_at = CASE WHEN state = 'pending' THEN next_at ELSE :giveUpAt END,
         replay_at = CASE WHEN state = 'pending' AND next_at <= :now THEN replay_at ELSE least(reported_at, :now) END
   WHERE account = :account AND (msg_key, step) > (:afterKey, :afterStep) AND (msg_key, step) <= (:lastKey, :lastStep)
     AND state <> 'delivered' AND reported_at >= :from AND reported_at < :until`;

const rowsOf = (account: AccountId): string => `deliveries ${account}`;

export function postgresWebhooks(
  db: Database,
  records: Records,
  tables: Tables,
  grouping: Grouping,
): WebhookStore {
  const completed = { ...COMPLETED_COLUMNS, recent: records.webhookAttempts };
  const completions = grouping.group<CompletedDelivery, undefined>({
    commit: async deliveries => {
      await db.query(COMPLETE, arraysOf('now', completed, deliveries));
      return deliveries.map(() => undefined);
    },
  });

  const replaying = (account: AccountId, text: string, order: Readonly<Record<string, Parameter>>) =>
    lockingBriefly(db, db.as(account), rowsOf(account), tx => tx.query(text, order));

  const queueOf = ofEach<AccountId, NumberedQueue>(() => new NumberedQueue(db.clock));
  let duesOf = ofEach<AccountId, DatedQueue>(() => new DatedQueue(db.clock));
  const pendingAccounts = new LongAnswer<readonly Row[]>(db.clock);

  return {
    ...webhookSettingTable(tables, { condition: NODE_LIVES, values: () => ({}) }),
    async collect({ account, lastOnly, windowMs, now, limit }) {
      const order = { account, leastLast: lastOnly ? 1 : 0, windowMs, limit, now };
      const queue = queueOf(account);
      const [row] = await queue.ask(db.as(account), COLLECT, order);
      if (row?.last !== null) queue.reached(Number(row?.last));
      return Number(row?.taken);
    },
    async claim({ account, owner, limit, now, dueOnly = false }) {
      const theirs = db.as(account);
      const dues = duesOf(account);
      const order = { account, owner, now, limit, replays: dueOnly ? 0 : limit };
      const rows = await dues.ask(theirs, CLAIM, order);
      const turns = rows.filter(row => row.is_replay === 0).map(({ turn }) => Number(turn));
      dues.took(turns, limit, now);
      if (rows.length === 0) return [];
      const reports = await theirs.query(REPORTS, arraysOf('wanted', KEY_COLUMNS, rows.map(keyOf)));
      const byKey = new Map(reports.map(report => [`${report.msg_key} ${report.step}`, report]));
      const inbound = rows.filter(row => row.step === INBOUND_STEP).map(row => String(row.msg_key));
      if (inbound.length > 0) {
        for (const row of await theirs.query(INBOUND, [inbound]))
          byKey.set(`${row.msg_key} ${INBOUND_STEP}`, row);
      }
      return rows
        .toSorted(
          (a, b) =>
            Number(a.is_replay) - Number(b.is_replay) || Number(a.turn) - Number(b.turn) || compareKeys(a, b),
        )
        .map(row => claimedDeliveryOf(row, byKey.get(`${row.msg_key} ${row.step}`), records));
    },
    complete: delivery => completions.add(delivery),
    async giveBack(account, owner, except) {
      const rows = await db
        .as(account)
        .query(GIVE_BACK, { owner, account, ...arraysOf('kept', KEY_COLUMNS, except) });
      for (const { next_at } of rows) duesOf(account).returned(Number(next_at));
    },
    async hurry({ now, reportedAfter }) {
      await db.query(
        `UPDATE webhook_delivery SET ${hurried('$1')} WHERE state = 'pending' AND next_at > $1 AND reported_at > $2`,
        [now, reportedAfter],
      );
    },
    async holders(owner) {
      const rows = await db.query('SELECT DISTINCT account FROM webhook_delivery WHERE owner = $1', [owner]);
      return rows.map(row => row.account as AccountId);
    },
    async pending() {
      const rows = await pendingAccounts.get(() => db.transaction(tx => tx.query(PENDING), LONG_PATIENCE));
      return rows.map(row => ({ account: row.account as AccountId, nextAt: Number(row.next_at) }));
    },
    async countPending(most, account) {
      const some = `SELECT FROM webhook_delivery WHERE state = 'pending'`;
      const [row] =
        account === undefined
          ? await db.query(`SELECT count(*)::integer AS pending FROM (${some} LIMIT $1) AS counted`, [most])
          : await db
              .as(account)
              .query(
                `SELECT count(*)::integer AS pending FROM (${some} AND account = $2 LIMIT $1) AS counted`,
                [most, account],
              );
      return Number(row?.pending);
    },
    async returnToQueue(account, owner, limit) {
      return (await db.as(account).query(RETURN_TO_QUEUE, { account, owner, limit })).length;
    },
    async replay({ account, from, until, lastOnly, giveUpAt, now, after, limit }) {
      // Counts what it passes, of whichever account.
      const rows = await db.query(SCAN, { after, before: timePrefix(until), limit });
      const last = rows.at(-1)?.msg_key;
      if (typeof last !== 'string') return { records: 0, next: undefined };
      const range = { after, last, account, from, until, leastLast: lastOnly ? 1 : 0 };
      const { count } = await replaying(account, REPLAY, { ...range, giveUpAt, now });
      return { records: count, next: rows.length < limit ? undefined : last };
    },
    async replayMoved({ account, sentFrom, from, until, lastOnly, giveUpAt, now, after, limit }) {
      const theirs = db.as(account);
      const most = Math.min(limit, LISTS_AT_ONCE);
      const [first, end] = [timePrefix(sentFrom), timePrefix(until)];
      const rows = await theirs.query(SCAN_MOVED, { account, sentFrom, until, first, end, after, most });
      let records = 0;
      for (const { request_id } of rows) {
        const range = { after: String(request_id), last: `${request_id}zzz`, account, from, until };
        const order = { ...range, leastLast: lastOnly ? 1 : 0, giveUpAt, now };
        records += (await replaying(account, REPLAY, order)).count;
      }
      return { records, next: rows.length < most ? undefined : String(rows.at(-1)?.request_id) };
    },
    async replayInbound({ account, from, until, giveUpAt, now, after, limit }) {
      const theirs = db.as(account);
      const rows = await theirs.query(SCAN_INBOUND, { account, after, before: timePrefix(until), limit });
      const last = rows.at(-1)?.msg_key;
      if (typeof last !== 'string') return { records: 0, next: undefined };
      const { count } = await replaying(account, REPLAY_INBOUND, {
        ...{ account, from, until, giveUpAt, now, after, last },
      });
      return { records: count, next: rows.length < limit ? undefined : last };
    },
    async retry({ msgKey, step }, { giveUpAt }) {
      const { count } = await lockingBriefly(db, db, `delivery ${msgKey}`, tx =>
        tx.query(RETRY, { msgKey, step, giveUpAt }),
      );
      duesOf = ofEach(() => new DatedQueue(db.clock));
      return count > 0;
    },
    async retryRange({ account, from, until, giveUpAt, now, after, limit }) {
      const theirs = db.as(account);
      const behind = { account, afterKey: after.msgKey, afterStep: after.step };
      const rows = await theirs.query(SCAN_DELIVERIES, { ...behind, limit });
      const last = rows.at(-1);
      if (last === undefined) return { records: 0, next: undefined };
      const end: DeliveryKey = { msgKey: last.msg_key as MsgKey, step: Number(last.step) };
      const range = { ...behind, lastKey: end.msgKey, lastStep: end.step, from, until };
      const { count } = await replaying(account, RETRY_RANGE, { ...range, giveUpAt, now });
      return { records: count, next: rows.length < limit ? undefined : end };
    },
    async find({ msgKey, step }) {
      const [row] = await db.query(FIND, [msgKey, step]);
      return row && deliveryViewOf(row, records);
    },
    async list(query) {
      const { text, parameters } = deliveryListQuery(query, position => `$${position}`);
      const session = query.account === undefined ? db : db.as(query.account);
      return (await session.query(text, parameters)).map(row => deliveryViewOf(row, records));
    },
  };
}

interface Keyed {
  readonly [column: string]: unknown;
}

function compareKeys(a: Keyed, b: Keyed): number {
  const [first, second] = [String(a.msg_key), String(b.msg_key)];
  if (first !== second) return first < second ? -1 : 1;
  return Number(a.step) - Number(b.step);
}
