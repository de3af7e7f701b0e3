/** Webhook deliveries on SQLite. One that is held by a node which is not among the living is taken over with the next claim. */
import { type AccountId, type MsgKey, timePrefix } from '../../domain/ids.ts';
import { INBOUND_STEP } from '../../domain/inbound/inbound.ts';
import type { DeliveryKey, WebhookStore } from '../port/webhook-store.ts';
import type { Records } from '../records/records.ts';
import { claimedDeliveryOf, deliveryViewOf } from '../records/webhook-columns.ts';
import type { Tables } from '../tables/tables.ts';
import { webhookSettingTable } from '../tables/webhook-settings.ts';
import { deliveryListQuery, deliveryQuery } from '../webhook-list.ts';
import { hurried, ONLY_REPLAYED, replayed } from '../webhook-replay.ts';
import type { Database, Row } from './database.ts';
import type { Living } from './living.ts';

/** Lists of reservations that are replayed in one transaction. */
const LISTS_AT_ONCE = 100;

/** Without an owner, or with a dead one. The parameter is a JSON list of the nodes that keep what they hold. */
const isFree = (parameter: string) =>
  `(owner IS NULL OR owner NOT IN (SELECT value FROM json_each(${parameter})))`;

export function sqliteWebhooks(db: Database, records: Records, tables: Tables, living: Living): WebhookStore {
  /** The asking node keeps what it holds, whether it has said already that it lives or not. */
  const keepers = (owner: string) => JSON.stringify([owner, ...living.names()]);
  const oldestUnfetched = db.prepare(
    'SELECT * FROM report_queue WHERE account = ? AND batch IS NULL ORDER BY seq LIMIT ?',
  );
  const dequeue = db.prepare('DELETE FROM report_queue WHERE seq = ?');
  // A replay may have been quicker: then there is a delivery already, which need not yield any more.
  const insert = db.prepare(
    `INSERT INTO webhook_delivery (msg_key, step, account, is_last, reported_at, state, next_at, give_up_at, attempts, recent)
     VALUES (?1, ?2, ?3, ?4, ?5, 'pending', min(?5, ?7), ?6, 0, '[]')
     ON CONFLICT DO UPDATE SET next_at = excluded.next_at, replay_at = NULL
      WHERE webhook_delivery.state = 'pending' AND webhook_delivery.replay_at IS NOT NULL`,
  );
  const waitingInbound = db.prepare(
    `SELECT msg_key, received_at FROM inbound
      WHERE account = ? AND waiting = 1 AND batch IS NULL ORDER BY msg_key LIMIT ?`,
  );
  const takeInbound = db.prepare('UPDATE inbound SET waiting = NULL WHERE msg_key = ?');
  const returnInbound = db.prepare('UPDATE inbound SET waiting = 1 WHERE msg_key = ?');
  const selectInbound = db.prepare('SELECT * FROM inbound WHERE msg_key = ?');
  const selectDue = db.prepare(
    `SELECT msg_key, step, attempts, recent, give_up_at, 0 AS is_replay FROM webhook_delivery
      WHERE state = 'pending' AND account = ?1 AND next_at <= ?2 AND ${isFree('?3')}
      ORDER BY next_at, msg_key, step LIMIT ?4`,
  );
  const selectReplays = db.prepare(
    `SELECT msg_key, step, attempts, recent, give_up_at, 1 AS is_replay FROM webhook_delivery
      WHERE state = 'pending' AND account = ?1 AND replay_at <= ?2 AND next_at > ?2 AND ${isFree('?3')}
      ORDER BY replay_at, msg_key, step LIMIT ?4`,
  );
  const take = db.prepare('UPDATE webhook_delivery SET owner = ? WHERE msg_key = ? AND step = ?');
  const selectReport = db.prepare('SELECT * FROM report WHERE msg_key = ? AND step = ?');
  const finish = db.prepare(
    `UPDATE webhook_delivery
        SET state = ?1, owner = NULL, attempts = ?2, recent = ?3,
            next_at = CASE WHEN ?1 = 'pending' AND NOT ${ONLY_REPLAYED} THEN ?4 ELSE next_at END,
            replay_at = CASE WHEN ?1 = 'pending' AND ${ONLY_REPLAYED} THEN ?4 END,
            finished_at = CASE WHEN ?1 = 'pending' THEN NULL ELSE ?4 END
      WHERE msg_key = ?5 AND step = ?6 AND owner = ?7 AND state = 'pending'`,
  );
  const held = db.prepare('SELECT msg_key, step FROM webhook_delivery WHERE owner = ? AND account = ?');
  const makeDue = db.prepare(
    `UPDATE webhook_delivery SET ${hurried('?1')} WHERE state = 'pending' AND next_at > ?1 AND reported_at > ?2`,
  );
  const selectHolders = db.prepare('SELECT DISTINCT account FROM webhook_delivery WHERE owner = ?');
  const pendingAccounts = db.prepare(
    `WITH RECURSIVE waiting (account) AS (
       SELECT min(account) FROM webhook_delivery WHERE state = 'pending'
       UNION ALL
       SELECT (SELECT min(account) FROM webhook_delivery WHERE state = 'pending' AND account > waiting.account)
         FROM waiting WHERE account IS NOT NULL
     )
     SELECT account, (SELECT min(next_at) FROM webhook_delivery AS first
                       WHERE first.state = 'pending' AND first.account = waiting.account) AS next_at,
            (SELECT min(replay_at) FROM webhook_delivery AS first
              WHERE first.state = 'pending' AND first.replay_at IS NOT NULL AND first.account = waiting.account) AS replay_at
       FROM waiting WHERE account IS NOT NULL`,
  );
  const countAll = db.prepare(
    "SELECT count(*) AS pending FROM (SELECT 1 FROM webhook_delivery WHERE state = 'pending' LIMIT ?)",
  );
  const countOf = db.prepare(
    "SELECT count(*) AS pending FROM (SELECT 1 FROM webhook_delivery WHERE state = 'pending' AND account = ?2 LIMIT ?1)",
  );
  const selectUnheld = db.prepare(
    `SELECT msg_key, step, is_last, reported_at FROM webhook_delivery
      WHERE state = 'pending' AND account = ? AND ${isFree('?')} ORDER BY next_at, msg_key, step LIMIT ?`,
  );
  const remove = db.prepare('DELETE FROM webhook_delivery WHERE msg_key = ? AND step = ?');
  const enqueue = db.prepare(
    'INSERT INTO report_queue (account, msg_key, step, is_last, reported_at) VALUES (?, ?, ?, ?, ?)',
  );
  const scan = db.prepare(
    'SELECT msg_key FROM report WHERE msg_key > ? AND msg_key < ? ORDER BY msg_key LIMIT ?',
  );
  const replayChunk = db.prepare(
    `INSERT INTO webhook_delivery (msg_key, step, account, is_last, reported_at, state, next_at, replay_at, give_up_at, attempts, recent)
     SELECT msg_key, step, account, is_last, reported_at, 'pending', ?1, min(reported_at, ?8), ?1, 0, '[]' FROM report
      WHERE msg_key > ?2 AND msg_key <= ?3 AND account = ?4 AND reported_at >= ?5 AND reported_at < ?6 AND is_last >= ?7
     ON CONFLICT DO UPDATE SET ${replayed('?8')} WHERE webhook_delivery.owner IS NULL`,
  );
  const scanMoved = db.prepare(
    `SELECT request_id FROM reservation JOIN reservation_list USING (resv_key)
      WHERE reservation.account = ?1 AND released_at >= ?2 AND released_at < ?3
        AND (request_id < ?4 OR request_id >= ?5) AND request_id > ?6
      ORDER BY request_id LIMIT ?7`,
  );
  const scanInbound = db.prepare(
    'SELECT msg_key FROM inbound WHERE account = ? AND msg_key > ? AND msg_key < ? ORDER BY msg_key LIMIT ?',
  );
  const replayInboundChunk = db.prepare(
    `INSERT INTO webhook_delivery (msg_key, step, account, is_last, reported_at, state, next_at, replay_at, give_up_at, attempts, recent)
     SELECT msg_key, ${INBOUND_STEP}, account, 1, received_at, 'pending', ?1, min(received_at, ?7), ?1, 0, '[]' FROM inbound
      WHERE msg_key > ?2 AND msg_key <= ?3 AND account = ?4 AND received_at >= ?5 AND received_at < ?6
        AND coalesce(waiting, 0) = 0
     ON CONFLICT DO UPDATE SET ${replayed('?7')} WHERE webhook_delivery.owner IS NULL`,
  );
  const selectOne = db.prepare(deliveryQuery(position => `?${position}`));
  // Due since ever, so it comes first.
  const retryOne = db.prepare(
    `UPDATE webhook_delivery
        SET state = 'pending', next_at = 0, finished_at = NULL,
            give_up_at = CASE WHEN state = 'pending' THEN give_up_at ELSE ?3 END,
            attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END
      WHERE msg_key = ?1 AND step = ?2`,
  );
  const scanDeliveries = db.prepare(
    `SELECT msg_key, step FROM webhook_delivery
      WHERE account = ?1 AND (msg_key, step) > (?2, ?3) ORDER BY msg_key, step LIMIT ?4`,
  );
  const retryChunk = db.prepare(
    `UPDATE webhook_delivery
        SET state = 'pending', finished_at = NULL,
            next_at = CASE WHEN state = 'pending' THEN next_at ELSE ?2 END,
            replay_at = CASE WHEN state = 'pending' AND next_at <= ?1 THEN replay_at ELSE min(reported_at, ?1) END,
            give_up_at = CASE WHEN state = 'pending' THEN give_up_at ELSE ?2 END,
            attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END
      WHERE account = ?3 AND (msg_key, step) > (?4, ?5) AND (msg_key, step) <= (?6, ?7)
        AND state <> 'delivered' AND reported_at >= ?8 AND reported_at < ?9`,
  );

  return {
    ...webhookSettingTable(tables, {
      condition: 'node = ANY (:living::text[])',
      values: () => ({ living: living.names() }),
    }),
    collect: ({ account, lastOnly, windowMs, now, limit }) => {
      const isAny = [oldestUnfetched, waitingInbound].some(some => some.get(account, 1) !== undefined);
      if (!isAny) return Promise.resolve(0);
      return db.write(() => {
        const messages = waitingInbound.all(account, limit) as Row[];
        for (const { msg_key, received_at } of messages) {
          takeInbound.run(msg_key ?? null);
          const place = [msg_key ?? null, INBOUND_STEP, account, 1, received_at ?? null];
          insert.run(...place, now + windowMs, now);
        }
        const rows = oldestUnfetched.all(account, limit) as Row[];
        for (const { seq, msg_key, step, is_last, reported_at } of rows) {
          dequeue.run(seq ?? null);
          if (lastOnly && is_last !== 1) continue;
          const record = [msg_key ?? null, step ?? null, account, is_last ?? null, reported_at ?? null];
          insert.run(...record, now + windowMs, now);
        }
        return Math.max(rows.length, messages.length);
      });
    },
    claim: async ({ account, owner, limit, now, dueOnly }) => {
      const turns = dueOnly ? [selectDue] : [selectDue, selectReplays];
      const isAny = turns.some(turn => turn.get(account, now, keepers(owner), 1) !== undefined);
      if (!isAny) return [];
      return db.write(() => {
        const rows: Row[] = [];
        for (const turn of turns) {
          rows.push(...(turn.all(account, now, keepers(owner), limit - rows.length) as Row[]));
        }
        for (const { msg_key, step } of rows) take.run(owner, msg_key ?? null, step ?? null);
        return rows.map(row => {
          const found =
            row.step === INBOUND_STEP
              ? selectInbound.get(row.msg_key ?? null)
              : selectReport.get(row.msg_key ?? null, row.step ?? null);
          return claimedDeliveryOf(row, found as Row | undefined, records);
        });
      });
    },
    complete: ({ msgKey, step, owner, state, at, attempts, recent }) =>
      db.write(() => {
        const kept = records.webhookAttempts.write(recent, { msg_key: msgKey, step });
        finish.run(state, attempts, kept, at, msgKey, step, owner);
      }),
    giveBack: (account, owner, except) =>
      db.write(() => {
        const kept = new Set(except.map(({ msgKey, step }) => `${msgKey} ${step}`));
        for (const { msg_key, step } of held.all(owner, account) as Row[]) {
          if (!kept.has(`${msg_key} ${step}`)) take.run(null, msg_key ?? null, step ?? null);
        }
      }),
    hurry: ({ now, reportedAfter }) =>
      db.write(() => {
        makeDue.run(now, reportedAfter);
      }),
    async holders(owner) {
      return (selectHolders.all(owner) as Row[]).map(row => row.account as AccountId);
    },
    async pending() {
      return (pendingAccounts.all() as Row[]).map(row => ({
        account: row.account as AccountId,
        nextAt: Math.min(Number(row.next_at), Number(row.replay_at ?? row.next_at)),
      }));
    },
    async countPending(most, account) {
      const row = (account === undefined ? countAll.get(most) : countOf.get(most, account)) as Row;
      return Number(row.pending);
    },
    returnToQueue: (account, owner, limit) =>
      db.write(() => {
        const rows = selectUnheld.all(account, keepers(owner), limit) as Row[];
        for (const { msg_key, step, is_last, reported_at } of rows) {
          remove.run(msg_key ?? null, step ?? null);
          if (step === INBOUND_STEP) returnInbound.run(msg_key ?? null);
          else enqueue.run(account, msg_key ?? null, step ?? null, is_last ?? null, reported_at ?? null);
        }
        return rows.length;
      }),
    replay: ({ account, from, until, lastOnly, giveUpAt, now, after, limit }) =>
      db.write(() => {
        const rows = scan.all(after, timePrefix(until), limit) as Row[];
        const last = rows.at(-1)?.msg_key;
        if (typeof last !== 'string') return { records: 0, next: undefined };
        const range = [giveUpAt, after, last, account, from, until, lastOnly ? 1 : 0, now];
        const { changes } = replayChunk.run(...range);
        return { records: Number(changes), next: rows.length < limit ? undefined : last };
      }),
    replayMoved: ({ account, sentFrom, from, until, lastOnly, giveUpAt, now, after, limit }) =>
      db.write(() => {
        const [first, end] = [timePrefix(sentFrom), timePrefix(until)];
        const most = Math.min(limit, LISTS_AT_ONCE);
        const rows = scanMoved.all(account, sentFrom, until, first, end, after, most) as Row[];
        let count = 0;
        for (const { request_id } of rows) {
          const range = [String(request_id), `${request_id}zzz`, account, from, until, lastOnly ? 1 : 0, now];
          count += Number(replayChunk.run(giveUpAt, ...range).changes);
        }
        const last = rows.length < most ? undefined : String(rows.at(-1)?.request_id);
        return { records: count, next: last };
      }),
    replayInbound: ({ account, from, until, giveUpAt, now, after, limit }) =>
      db.write(() => {
        const rows = scanInbound.all(account, after, timePrefix(until), limit) as Row[];
        const last = rows.at(-1)?.msg_key;
        if (typeof last !== 'string') return { records: 0, next: undefined };
        const { changes } = replayInboundChunk.run(giveUpAt, after, last, account, from, until, now);
        return { records: Number(changes), next: rows.length < limit ? undefined : last };
      }),
    retry: ({ msgKey, step }, { giveUpAt }) =>
      db.write(() => Number(retryOne.run(msgKey, step, giveUpAt).changes) > 0),
    retryRange: ({ account, from, until, giveUpAt, now, after, limit }) =>
      db.write(() => {
        const rows = scanDeliveries.all(account, after.msgKey, after.step, limit) as Row[];
        const last = rows.at(-1);
        if (last === undefined) return { records: 0, next: undefined };
        const end: DeliveryKey = { msgKey: last.msg_key as MsgKey, step: Number(last.step) };
        const range = [after.msgKey, after.step, end.msgKey, end.step, from, until];
        const { changes } = retryChunk.run(now, giveUpAt, account, ...range);
        return { records: Number(changes), next: rows.length < limit ? undefined : end };
      }),
    async find({ msgKey, step }) {
      const row = selectOne.get(msgKey, step) as Row | undefined;
      return row && deliveryViewOf(row, records);
    },
    async list(query) {
      const { text, parameters } = deliveryListQuery(query, position => `?${position}`);
      return (db.prepare(text).all(...parameters) as Row[]).map(row => deliveryViewOf(row, records));
    },
  };
}
