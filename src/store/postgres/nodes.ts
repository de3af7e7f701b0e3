/**
 * Which nodes are alive, by the clock of the database, and what becomes of the steps of those that are not.
 *
 * Every node asks every second, so the query is cheap: it jumps through the index from one dead owner to the next. Two nodes may take
 * over at the same time: each takes rows that the other has not locked, and a row that was taken has a dead owner no
 * longer. Steps that only await their receipt lose their owner too, or they would be looked at every second until then.
 */

import type { StepState } from '../../domain/delivery/lifecycle.ts';
import { type Succession, successionOf } from '../../domain/delivery/takeover.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { WAITS_ASIDE } from '../inbound-parts.ts';
import { ASIDE_MS, AWAITING_RECEIPT, OWN_DEADLINE, PUT_OFF, READY } from '../phase.ts';
import type { LiveNode, NodeProfile, NodeStore, TakeOverRules } from '../port/node-store.ts';
import { TakenOverCounts } from '../taken-over.ts';
import { lockingBriefly } from './busy.ts';
import { type Database, endsWhenIdle, type Queryable, type Row } from './database.ts';
import { LONG_PATIENCE, LongLook } from './long-look.ts';
import { IN_DOUBT_OWNER, OWNER_GONE, PUT_OFF_OWNER } from './owners.ts';
import type { QueueHeads } from './queue-heads.ts';
import { appendHistory } from './settle-writes.ts';

/** After every owner. */
const LAST_OWNER = '~';
const MOST_KNOWN = 1000;
/** How long a node that is frozen keeps the row of another one: less than the lease that its heartbeat must renew. */
const IDLE_MS = 1_000;
/** Steps taken over in one transaction. */
const CHUNK = 2000;

const IS_DEAD = `
  owner <> $1 AND NOT EXISTS (SELECT FROM node WHERE node.id = owner AND alive_until > clock_timestamp())`;

/**
 * Steps that could not be read queue again: the key may be there by now, or the row may have been repaired. One that a carrier
 * had may have been sent.
 */
const RESTORE_ASIDE = `
  UPDATE job SET
    phase = CASE WHEN state NOT IN ('queued', 'retrying') THEN ${AWAITING_RECEIPT}
                 WHEN due_at > :now THEN ${PUT_OFF} ELSE ${READY} END,
    owner = CASE WHEN state = 'submitted' THEN '${OWNER_GONE}' WHEN state NOT IN ('queued', 'retrying') THEN '${IN_DOUBT_OWNER}'
                 WHEN due_at > :now THEN '${PUT_OFF_OWNER}' END,
    state = CASE WHEN state = 'submitting' THEN 'unknown' ELSE state END,
    ${OWN_DEADLINE}
   WHERE msg_key = ANY (ARRAY(
     SELECT msg_key FROM job WHERE deadline_at >= ${ASIDE_MS} LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;

/** Inbound messages that could not be handed out wait for it again. */
const RESTORE_INBOUND = `
  UPDATE inbound SET waiting = 1 WHERE msg_key = ANY (ARRAY(
    SELECT msg_key FROM inbound WHERE waiting = ${WAITS_ASIDE} LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED))`;

/**
 * Owners between those that live: entries of what the living have ended are not read. PostgreSQL keeps them all for a transaction
 * that stays open, such as a backup, and there may be millions.
 */
const DEAD_OWNERS = `
  WITH RECURSIVE passed AS (
    SELECT id FROM node WHERE alive_until > clock_timestamp()
     UNION SELECT unnest(ARRAY['${OWNER_GONE}', '${PUT_OFF_OWNER}', '${IN_DOUBT_OWNER}', $1]) COLLATE "C"
  ), gap AS MATERIALIZED (
    SELECT id AS after, lead(id, 1, '${LAST_OWNER}') OVER (ORDER BY id) AS before FROM passed
  ), dead AS (
    SELECT first.owner, gap.before FROM gap CROSS JOIN LATERAL (
      SELECT owner FROM job WHERE owner <> '' AND owner > gap.after AND owner < gap.before ORDER BY owner LIMIT 1
    ) AS first
    UNION ALL
    SELECT next.owner, dead.before FROM dead CROSS JOIN LATERAL (
      SELECT owner FROM job WHERE owner <> '' AND owner > dead.owner AND owner < dead.before ORDER BY owner LIMIT 1
    ) AS next
  )
  SELECT owner FROM dead`;

const LIVING = 'SELECT id FROM node WHERE alive_until > clock_timestamp() ORDER BY id';

const LEFT_BEHIND = `
  SELECT msg_key, step, attempt, carrier, state, claimed_at, repeat_until, owner FROM job
   WHERE owner <> '' AND owner = ANY ($2::text[]) AND ${IS_DEAD}
   ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`;

const REPEAT = `
  UPDATE job SET phase = ${READY}, state = 'queued', attempt = attempt - 1, owner = NULL, claim = NULL,
                 repeat_until = again.until
    FROM unnest($1::text[], $2::bigint[]) AS again (msg_key, until)
   WHERE job.msg_key = again.msg_key
  RETURNING carrier, account, rank, due_at`;
const MARK_UNKNOWN = `
  UPDATE job SET phase = ${AWAITING_RECEIPT}, state = 'unknown', owner = '${IN_DOUBT_OWNER}' WHERE msg_key = ANY ($1::text[])`;
const CLEAR_OWNER = `UPDATE job SET owner = '${OWNER_GONE}' WHERE msg_key = ANY ($1::text[])`;

export function postgresNodes(db: Database, time: () => Promise<number>, queueHeads: QueueHeads): NodeStore {
  let hasRestored = false;
  const look = new LongLook(db.clock);
  /** The nodes that lived when nobody else held anything. */
  let settled = '';

  /** Nodes that were stopped leave entries behind, too: a look that takes long is made again when a node has come or gone. */
  async function deadOwners(self: string): Promise<string[]> {
    if (!look.isLong) return (await look.make(() => db.query(DEAD_OWNERS, [self]))).map(ownerOf);
    const living = (await db.query(LIVING)).map(({ id }) => id).join();
    if (!look.isDue && living === settled) return [];
    const dead = await look.make(() => db.transaction(tx => tx.query(DEAD_OWNERS, [self]), LONG_PATIENCE));
    settled = dead.length === 0 ? living : '';
    return dead.map(ownerOf);
  }

  return {
    async heartbeat(node, ttlMs, profile) {
      await db.query(
        `INSERT INTO node (id, alive_until, profile) VALUES (:node, clock_timestamp() + :ttlMs * interval '1 millisecond', :profile)
         ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, profile = excluded.profile`,
        { node, ttlMs, profile: JSON.stringify(profile) },
      );
    },
    time,
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
      const { count } = await lockingBriefly(db, db, `node ${node}`, async tx => {
        await tx.query(endsWhenIdle(IDLE_MS));
        return tx.query(
          'UPDATE node SET draining_since = :since WHERE id = :node AND alive_until > clock_timestamp()',
          { node, since: since ?? null },
        );
      });
      return count === 1;
    },
    async takeOver(rules) {
      if (!hasRestored) {
        while ((await db.query(RESTORE_ASIDE, { now: rules.now })).count === CHUNK);
        while ((await db.query(RESTORE_INBOUND)).count === CHUNK);
      }
      hasRestored = true;
      const owners = await deadOwners(rules.self);
      if (owners.length === 0) return [];
      const taken = new TakenOverCounts();
      for (;;) {
        const { chunk, again } = await db.retrying(() => db.transaction(tx => takeChunk(tx, rules, owners)));
        queueHeads.returned(again);
        for (const { row, succession } of chunk) {
          if (succession.kind === 'wait') continue;
          const outcome = succession.kind === 'repeat' ? 'repeated' : 'unknown';
          taken.add({ node: String(row.owner), carrier: String(row.carrier), outcome });
        }
        if (chunk.length < CHUNK) return taken.list();
      }
    },
    async forget(node) {
      return lockingBriefly(db, db, `node ${node}`, async tx => {
        const { count } = await tx.query(
          'DELETE FROM node WHERE id = $1 AND alive_until <= clock_timestamp()',
          [node],
        );
        if (count === 1) await tx.query('DELETE FROM carrier_report WHERE node = $1', [node]);
        return count === 1;
      });
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
): Promise<{ readonly chunk: readonly Successor[]; readonly again: readonly Row[] }> {
  const left = (await tx.query(LEFT_BEHIND, [self, owners])).map((row): Successor => {
    const claimedAt = row.claimed_at === null ? undefined : Number(row.claimed_at);
    const repeatUntil = row.repeat_until === null ? undefined : Number(row.repeat_until);
    const step = { state: row.state as StepState, claimedAt, repeatUntil };
    return { row, succession: successionOf(step, promises.get(String(row.carrier)), now) };
  });
  const repeated = left.flatMap(({ row, succession }) =>
    succession.kind === 'repeat' ? [{ row, until: succession.until }] : [],
  );
  const doubtful = left.filter(({ succession }) => succession.kind === 'doubt').map(({ row }) => row);
  const waiting = left.filter(({ succession }) => succession.kind === 'wait').map(({ row }) => row);
  const [again, untils] = [repeated.map(({ row }) => row), repeated.map(({ until }) => until)];
  const returned = again.length > 0 ? await tx.query(REPEAT, [keysOf(again), untils]) : [];
  if (doubtful.length > 0) await tx.query(MARK_UNKNOWN, [keysOf(doubtful)]);
  await appendHistory(tx, [
    ...again.map(entryOf('repeated', now)),
    ...doubtful.map(entryOf('takenOver', now)),
  ]);
  if (waiting.length > 0) await tx.query(CLEAR_OWNER, [keysOf(waiting)]);
  return { chunk: left, again: returned };
}

const ownerOf = ({ owner }: Row): string => String(owner);

function keysOf(rows: readonly Row[]): string[] {
  return rows.map(row => String(row.msg_key));
}

const entryOf = (event: 'repeated' | 'takenOver', at: number) => (row: Row) => ({
  msgKey: row.msg_key as MsgKey,
  history: [
    { at, step: Number(row.step), attempt: Number(row.attempt), carrier: String(row.carrier), event },
  ],
});

function liveNodeOf(row: Row): LiveNode {
  const since = row.draining_since;
  return {
    node: String(row.id),
    profile: JSON.parse(String(row.profile)) as NodeProfile,
    drainingSince: since === null || since === undefined ? undefined : Number(since),
  };
}
