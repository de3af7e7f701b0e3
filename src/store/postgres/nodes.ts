/**
 * Which nodes are alive, by the clock of the database, and what becomes of the steps of those that are not.
 *
 * Every node asks every second, so the query is cheap: it jumps through the index from owner to owner. Two nodes may take
 * over at the same time: each takes rows that the other has not locked, and a row that was taken has a dead owner no
 * longer. Steps that only await their receipt lose their owner too, or they would be looked at every second until then.
 */

import type { StepState } from '../../domain/delivery/lifecycle.ts';
import { type Succession, successionOf } from '../../domain/delivery/takeover.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { WAITS_ASIDE } from '../inbound-parts.ts';
import { AWAITING_RECEIPT, PUT_OFF, READY } from '../phase.ts';
import type { NodeStore, TakeOverRules } from '../port/node-store.ts';
import { liveNodeOf } from '../rows.ts';
import type { Database, Queryable, Row } from './database.ts';
import { ASIDE_OWNER, IN_DOUBT_OWNER, IS_NODE, OWNER_GONE, PUT_OFF_OWNER } from './owners.ts';
import { appendHistory } from './settle-writes.ts';

const MOST_KNOWN = 1000;
/** Steps taken over in one transaction. */
const CHUNK = 2000;

const IS_DEAD = `
  owner <> $1 AND NOT EXISTS (SELECT FROM node WHERE node.id = owner AND alive_until > clock_timestamp())`;

/**
 * Steps that could not be read have their place again: maybe the key is there by now, or the row was mended. One that was in a
 * carrier's hands may have been sent.
 */
const RESTORE_ASIDE = `
  UPDATE job SET
    phase = CASE WHEN state NOT IN ('queued', 'retrying') THEN ${AWAITING_RECEIPT}
                 WHEN due_at > :now THEN ${PUT_OFF} ELSE ${READY} END,
    owner = CASE WHEN state = 'submitted' THEN '${OWNER_GONE}' WHEN state NOT IN ('queued', 'retrying') THEN '${IN_DOUBT_OWNER}'
                 WHEN due_at > :now THEN '${PUT_OFF_OWNER}' END,
    state = CASE WHEN state = 'submitting' THEN 'unknown' ELSE state END
   WHERE owner = '${ASIDE_OWNER}'`;

/** Inbound messages that could not be handed out wait for it again. */
const RESTORE_INBOUND = `
  UPDATE inbound SET waiting = 1 WHERE msg_key = ANY (ARRAY(
    SELECT msg_key FROM inbound WHERE waiting = ${WAITS_ASIDE} LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;

const DEAD_OWNERS = `
  WITH RECURSIVE held AS (
    (SELECT owner FROM job WHERE owner <> '' ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT next.owner FROM held CROSS JOIN LATERAL (
      SELECT owner FROM job WHERE owner <> '' AND owner > held.owner ORDER BY owner LIMIT 1
    ) AS next
  )
  SELECT owner FROM held WHERE ${IS_NODE} AND ${IS_DEAD}`;

const LEFT_BEHIND = `
  SELECT msg_key, step, attempt, carrier, state, claimed_at, repeat_until FROM job
   WHERE owner <> '' AND owner = ANY ($2::text[]) AND ${IS_DEAD}
   ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`;

const REPEAT = `
  UPDATE job SET phase = ${READY}, state = 'queued', attempt = attempt - 1, owner = NULL, claim = NULL,
                 repeat_until = again.until
    FROM unnest($1::text[], $2::bigint[]) AS again (msg_key, until)
   WHERE job.msg_key = again.msg_key`;
const MARK_UNKNOWN = `
  UPDATE job SET phase = ${AWAITING_RECEIPT}, state = 'unknown', owner = '${IN_DOUBT_OWNER}' WHERE msg_key = ANY ($1::text[])`;
const CLEAR_OWNER = `UPDATE job SET owner = '${OWNER_GONE}' WHERE msg_key = ANY ($1::text[])`;

export function postgresNodes(db: Database): NodeStore {
  let hasRestored = false;

  return {
    async heartbeat(node, ttlMs, profile) {
      const [row] = await db.query(
        `INSERT INTO node (id, alive_until, profile) VALUES (:node, clock_timestamp() + :ttlMs * interval '1 millisecond', :profile)
         ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, profile = excluded.profile
         RETURNING extract(epoch FROM clock_timestamp()) * 1000 AS store_time`,
        { node, ttlMs, profile: JSON.stringify(profile) },
      );
      return { storeTime: row && Number(row.store_time) };
    },
    async list() {
      const rows = await db.query('SELECT * FROM node WHERE alive_until > clock_timestamp() ORDER BY id');
      return rows.map(liveNodeOf);
    },
    async known() {
      const rows = await db.query(
        `SELECT *, extract(epoch FROM clock_timestamp() - alive_until) * 1000 AS dead_for FROM node
          ORDER BY id LIMIT ${MOST_KNOWN}`,
      );
      return rows.map(row => {
        const deadForMs = Number(row.dead_for);
        return { ...liveNodeOf(row), deadForMs: deadForMs >= 0 ? deadForMs : undefined };
      });
    },
    async drain(node, since) {
      const { count } = await db.query(
        'UPDATE node SET draining_since = :since WHERE id = :node AND alive_until > clock_timestamp()',
        { node, since: since ?? null },
      );
      return count === 1;
    },
    async takeOver(rules) {
      if (!hasRestored) {
        await db.query(RESTORE_ASIDE, { now: rules.now });
        while ((await db.query(RESTORE_INBOUND)).count === CHUNK);
      }
      hasRestored = true;
      const rows = await db.query(DEAD_OWNERS, [rules.self]);
      if (rows.length === 0) return 0;
      const owners = rows.map(row => String(row.owner));
      let taken = 0;
      for (;;) {
        const chunk = await db.retrying(() => db.transaction(tx => takeChunk(tx, rules, owners)));
        taken += chunk.taken;
        if (chunk.seen < CHUNK) return taken;
      }
    },
    async leave(node) {
      await db.query('DELETE FROM node WHERE id = $1', [node]);
    },
  };
}

interface Successor {
  readonly row: Row;
  readonly succession: Succession;
}

async function takeChunk(
  tx: Queryable,
  { self, now, promises }: TakeOverRules,
  owners: readonly string[],
): Promise<{ seen: number; taken: number }> {
  const left = (await tx.query(LEFT_BEHIND, [self, owners])).map((row): Successor => {
    const claimedAt = row.claimed_at === null ? undefined : Number(row.claimed_at);
    const repeatUntil = row.repeat_until === null ? undefined : Number(row.repeat_until);
    const step = { state: row.state as StepState, claimedAt, repeatUntil };
    return { row, succession: successionOf(step, promises.get(String(row.carrier)), now) };
  });
  const again = left.flatMap(({ row, succession }) =>
    succession.kind === 'repeat' ? [{ key: String(row.msg_key), until: succession.until }] : [],
  );
  const doubtful = left.filter(({ succession }) => succession.kind === 'doubt').map(({ row }) => row);
  const waiting = left.filter(({ succession }) => succession.kind === 'wait').map(({ row }) => row);
  if (again.length > 0)
    await tx.query(REPEAT, [again.map(({ key }) => key), again.map(({ until }) => until)]);
  if (doubtful.length > 0) {
    await tx.query(MARK_UNKNOWN, [keysOf(doubtful)]);
    await appendHistory(tx, doubtful.map(takenOverAt(now)));
  }
  if (waiting.length > 0) await tx.query(CLEAR_OWNER, [keysOf(waiting)]);
  return { seen: left.length, taken: again.length + doubtful.length };
}

function keysOf(rows: readonly Row[]): string[] {
  return rows.map(row => String(row.msg_key));
}

const takenOverAt = (at: number) => (row: Row) => ({
  msgKey: row.msg_key as MsgKey,
  history: [
    {
      at,
      step: Number(row.step),
      attempt: Number(row.attempt),
      carrier: String(row.carrier),
      event: 'takenOver' as const,
    },
  ],
});
