/** What becomes of the steps of dead nodes; living.ts knows which are alive. */

import type { StepState } from '../../domain/delivery/lifecycle.ts';
import { repeatsTaken, successionOf } from '../../domain/delivery/takeover.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { formatHistory } from '../history.ts';
import { WAITS_ASIDE } from '../inbound-parts.ts';
import { ASIDE_MS, AWAITING_RECEIPT, OWN_DEADLINE, phaseOf, READY } from '../phase.ts';
import type { NodeStore, TakeOverRules } from '../port/node-store.ts';
import { TakenOverCounts } from '../taken-over.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';
import type { Living } from './living.ts';

/** Steps of one transaction. The walk holds no more than these, however many messages wait. */
const CHUNK = 1000;

export function sqliteNodes(db: Database, steps: LiveSteps, counts: JobCounts, living: Living): NodeStore {
  // Steps that await their receipt are left as they are, because they need no owner, unless their carrier repeats them.
  const selectLeft = db.prepare(
    `SELECT msg_key, step, attempt, carrier, state, claimed_at, repeat_until, owner FROM job
      WHERE msg_key > ?1 AND phase <> ${READY} AND owner IS NOT NULL
        AND (state = 'submitting' OR state = 'submitted' AND carrier IN (SELECT value FROM json_each(?2)))
      ORDER BY msg_key LIMIT ${CHUNK}`,
  );
  const selectAside = db.prepare(
    `SELECT msg_key, state, due_at FROM job WHERE phase <> ${READY} AND deadline_at >= ${ASIDE_MS} LIMIT ${CHUNK}`,
  );
  const restoreInbound = db.prepare(
    `UPDATE inbound SET waiting = 1 WHERE msg_key IN (
       SELECT msg_key FROM inbound WHERE waiting = ${WAITS_ASIDE} LIMIT ${CHUNK})`,
  );
  const restore = db.prepare(`UPDATE job SET phase = ?, ${OWN_DEADLINE} WHERE msg_key = ?`);
  const repeat = db.prepare(
    `UPDATE job SET phase = ${READY}, state = 'queued', attempt = attempt - 1, owner = NULL, claim = NULL, repeat_until = ?
      WHERE msg_key = ?`,
  );
  const markUnknown = db.prepare(
    `UPDATE job SET phase = ${AWAITING_RECEIPT}, state = 'unknown', owner = NULL WHERE msg_key = ?`,
  );
  const note = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  /** Deaths that each node has looked at; at the start, every owner of a job is dead. */
  const seenDeaths = new Map<string, number>();

  /** Steps that could not be read queue again: the key may be there by now, or the row may have been repaired. */
  function restoreAside(now: number): number {
    const rows = selectAside.all() as Row[];
    for (const { msg_key, state, due_at } of rows) {
      restore.run(phaseOf(state as StepState, Number(due_at) - now), msg_key ?? null);
    }
    return rows.length;
  }

  /** Resolves to where the next chunk begins. */
  function takeOver(
    { self, now, promises }: TakeOverRules,
    after: string,
    taken: TakenOverCounts,
  ): string | undefined {
    const alive = new Set(living.names());
    const repeating = [...promises]
      .filter(([, promise]) => repeatsTaken(promise))
      .map(([carrier]) => carrier);
    const rows = selectLeft.all(after, JSON.stringify(repeating)) as Row[];
    for (const row of rows) {
      const owner = String(row.owner);
      if (owner === self || alive.has(owner)) continue;
      const msgKey = String(row.msg_key);
      const carrier = String(row.carrier);
      const claimedAt = row.claimed_at === null ? undefined : Number(row.claimed_at);
      const repeatUntil = row.repeat_until === null ? undefined : Number(row.repeat_until);
      const step = { state: row.state as StepState, claimedAt, repeatUntil };
      const succession = successionOf(step, promises.get(carrier), now);
      const entry = { at: now, step: Number(row.step), attempt: Number(row.attempt), carrier };
      steps.forget(msgKey as MsgKey);
      switch (succession.kind) {
        case 'repeat':
          note.run(formatHistory([{ ...entry, event: 'repeated' }]), msgKey);
          repeat.run(succession.until, msgKey);
          taken.add({ node: owner, carrier, outcome: 'repeated' });
          break;
        case 'doubt':
          note.run(formatHistory([{ ...entry, event: 'takenOver' }]), msgKey);
          markUnknown.run(msgKey);
          taken.add({ node: owner, carrier, outcome: 'unknown' });
          break;
        case 'wait':
      }
    }
    return rows.length < CHUNK ? undefined : String(rows.at(-1)?.msg_key);
  }

  return {
    async heartbeat(node, ttlMs, profile) {
      living.beat(node, ttlMs, profile);
    },
    time: async () => undefined,
    async list() {
      return living.list();
    },
    async known() {
      return living.list().map(node => ({ ...node, deadForMs: undefined }));
    },
    async drain(node, since) {
      return living.drain(node, since);
    },
    async takeOver(rules) {
      const { deaths } = living;
      if (deaths === seenDeaths.get(rules.self)) return [];
      if (!seenDeaths.has(rules.self)) {
        while ((await db.write(() => restoreAside(rules.now))) === CHUNK);
        counts.recount();
        while ((await db.write(() => restoreInbound.run().changes)) === CHUNK);
      }
      const taken = new TakenOverCounts();
      let next: string | undefined = '';
      while (next !== undefined) {
        const from: string = next;
        next = await db.write(() => takeOver(rules, from, taken));
      }
      const found = taken.list();
      if (found.length > 0) counts.recount();
      seenDeaths.set(rules.self, deaths);
      return found;
    },
    async forget() {
      // Only the living are known.
      return false;
    },
    async leave(node) {
      living.leave(node);
    },
  };
}
