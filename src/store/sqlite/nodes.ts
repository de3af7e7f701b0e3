import { formatHistory } from '../history.ts';
import { CLAIMED, READY, WAITING } from '../phase.ts';
import type { NodeStore } from '../store.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';

/**
 * One process serves a SQLite file (lock.ts), so every owner but this one is dead, and none can appear later: the
 * first call takes over what there is, and that is all.
 */
export function sqliteNodes(db: Database, counts: JobCounts): NodeStore {
  const repeat = db.prepare(
    `UPDATE job SET phase = ${READY}, state = 'queued', attempt = attempt - 1, due_at = ?1, owner = NULL
      WHERE owner <> ?2 AND state IN ('submitting', 'submitted')
        AND carrier IN (SELECT value FROM json_each(?3))`,
  );
  const selectDoubtful = db.prepare(
    `SELECT msg_key, step, attempt, carrier FROM job WHERE owner <> ? AND phase = ${CLAIMED}`,
  );
  const doubt = db.prepare(
    `UPDATE job SET phase = ${WAITING}, state = 'unknown', owner = NULL WHERE msg_key = ?`,
  );
  const note = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  let isDone = false;

  return {
    async heartbeat() {},
    async leave() {},
    async takeOver({ self, now, repeatable }) {
      if (isDone) return 0;
      isDone = true;
      return db.write(() => {
        counts.recount();
        const repeated = Number(repeat.run(now, self, JSON.stringify(repeatable)).changes);
        const doubtful = selectDoubtful.all(self) as Row[];
        for (const { msg_key, step, attempt, carrier } of doubtful) {
          const entry = { at: now, step: Number(step), attempt: Number(attempt), carrier: String(carrier) };
          note.run(formatHistory([{ ...entry, event: 'takenOver' }]), msg_key ?? null);
          doubt.run(msg_key ?? null);
        }
        return repeated + doubtful.length;
      });
    },
  };
}
