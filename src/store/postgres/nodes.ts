/**
 * Which nodes live, by the clock of the database, and what becomes of the steps of those that do not.
 *
 * Asked every second by every node, so the question is cheap: it jumps through the index from holder to holder. Two
 * nodes may take over at the same time: each takes rows that the other has not locked, and a row taken is no dead node's
 * any more. That goes for steps that only wait for their receipt too, lest they be looked at every second until then.
 */
import type { MsgKey } from '../../domain/ids.ts';
import { READY, WAITING } from '../phase.ts';
import type { NodeStore, TakeOverRules } from '../store.ts';
import type { Database, Queryable, Row } from './database.ts';
import { appendHistory } from './settle-writes.ts';

/** Steps taken over in one transaction. */
const CHUNK = 2000;
/** The owner of a step whose node is gone and that waits for its receipt: nobody has to take it over any more. */
const NOBODY = '';

const IS_DEAD = `
  owner <> $1 AND NOT EXISTS (SELECT FROM node WHERE node.id = owner AND alive_until > clock_timestamp())`;

const DEAD_OWNERS = `
  WITH RECURSIVE held AS (
    (SELECT owner FROM job WHERE owner <> '${NOBODY}' ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT next.owner FROM held CROSS JOIN LATERAL (
      SELECT owner FROM job WHERE owner <> '${NOBODY}' AND owner > held.owner ORDER BY owner LIMIT 1
    ) AS next
  )
  SELECT owner FROM held WHERE ${IS_DEAD}`;

const LEFT_BEHIND = `
  SELECT msg_key, step, attempt, carrier, state FROM job
   WHERE owner <> '${NOBODY}' AND owner = ANY ($2::text[]) AND ${IS_DEAD}
   ORDER BY msg_key LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`;

const REPEAT = `
  UPDATE job SET phase = ${READY}, state = 'queued', attempt = attempt - 1, due_at = $2, owner = NULL
   WHERE msg_key = ANY ($1::text[])`;
const DOUBT = `
  UPDATE job SET phase = ${WAITING}, state = 'unknown', owner = '${NOBODY}' WHERE msg_key = ANY ($1::text[])`;
const DISOWN = `UPDATE job SET owner = '${NOBODY}' WHERE msg_key = ANY ($1::text[])`;

export function postgresNodes(db: Database): NodeStore {
  return {
    async heartbeat(node, ttlMs) {
      await db.query(
        `INSERT INTO node (id, alive_until) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
         ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`,
        [node, ttlMs],
      );
    },
    async takeOver(rules) {
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

async function takeChunk(
  tx: Queryable,
  { self, now, repeatable }: TakeOverRules,
  owners: readonly string[],
): Promise<{ seen: number; taken: number }> {
  const left = await tx.query(LEFT_BEHIND, [self, owners]);
  const repeated: Row[] = [];
  const doubtful: Row[] = [];
  const waiting: Row[] = [];
  for (const row of left) {
    const mayHaveLeft = row.state === 'submitting';
    const isRepeatable = repeatable.includes(String(row.carrier));
    if (isRepeatable && (mayHaveLeft || row.state === 'submitted')) repeated.push(row);
    else if (mayHaveLeft) doubtful.push(row);
    else waiting.push(row);
  }
  if (repeated.length > 0) await tx.query(REPEAT, [keysOf(repeated), now]);
  if (doubtful.length > 0) {
    await tx.query(DOUBT, [keysOf(doubtful)]);
    await appendHistory(tx, doubtful.map(takenOverAt(now)));
  }
  if (waiting.length > 0) await tx.query(DISOWN, [keysOf(waiting)]);
  return { seen: left.length, taken: repeated.length + doubtful.length };
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
