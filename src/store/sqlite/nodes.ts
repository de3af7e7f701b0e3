/** What becomes of the steps of dead nodes; living.ts knows which are alive. */

import type { StepState } from '../../domain/delivery/lifecycle.ts';
import { successionOf } from '../../domain/delivery/takeover.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { formatHistory } from '../history.ts';
import { AWAITING_RECEIPT, READY } from '../phase.ts';
import type { NodeStore, TakeOverRules } from '../port/node-store.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import type { LiveSteps } from './live-steps.ts';
import type { Living } from './living.ts';

export function sqliteNodes(db: Database, steps: LiveSteps, counts: JobCounts, living: Living): NodeStore {
  const selectLeft = db.prepare(
    `SELECT msg_key, step, attempt, carrier, state, claimed_at, repeat_until, owner FROM job
      WHERE phase <> ${READY} AND owner IS NOT NULL AND state IN ('submitting', 'submitted')`,
  );
  const repeat = db.prepare(
    `UPDATE job SET phase = ${READY}, state = 'queued', attempt = attempt - 1, owner = NULL, claim = NULL, repeat_until = ?
      WHERE msg_key = ?`,
  );
  const markUnknown = db.prepare(
    `UPDATE job SET phase = ${AWAITING_RECEIPT}, state = 'unknown', owner = NULL WHERE msg_key = ?`,
  );
  const clearOwner = db.prepare('UPDATE job SET owner = NULL WHERE msg_key = ?');
  const note = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  /** Deaths that each node has looked at; at the start, every owner of a job is dead. */
  const seenDeaths = new Map<string, number>();

  function takeOver({ self, now, promises }: TakeOverRules): number {
    counts.recount();
    const alive = new Set(living.names());
    let taken = 0;
    for (const row of selectLeft.all() as Row[]) {
      const owner = String(row.owner);
      if (owner === self || alive.has(owner)) continue;
      const msgKey = String(row.msg_key);
      const carrier = String(row.carrier);
      const claimedAt = row.claimed_at === null ? undefined : Number(row.claimed_at);
      const repeatUntil = row.repeat_until === null ? undefined : Number(row.repeat_until);
      const step = { state: row.state as StepState, claimedAt, repeatUntil };
      const succession = successionOf(step, promises.get(carrier), now);
      steps.forget(msgKey as MsgKey);
      switch (succession.kind) {
        case 'repeat':
          repeat.run(succession.until, msgKey);
          taken++;
          break;
        case 'doubt': {
          const entry = { at: now, step: Number(row.step), attempt: Number(row.attempt), carrier };
          note.run(formatHistory([{ ...entry, event: 'takenOver' }]), msgKey);
          markUnknown.run(msgKey);
          taken++;
          break;
        }
        case 'wait':
          clearOwner.run(msgKey);
      }
    }
    return taken;
  }

  return {
    async heartbeat(node, ttlMs, profile) {
      living.beat(node, ttlMs, profile);
      return { storeTime: undefined };
    },
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
      if (deaths === seenDeaths.get(rules.self)) return 0;
      const taken = await db.write(() => takeOver(rules));
      seenDeaths.set(rules.self, deaths);
      return taken;
    },
    async leave(node) {
      living.leave(node);
    },
  };
}
