/** What waits in a restored store is not sent by itself (port/upkeep-store.ts). */
import { CLAIMED, OWN_DEADLINE, PUT_OFF, READY, SET_ASIDE } from '../phase.ts';
import type { HeldBack, RestoreOrder } from '../port/upkeep-store.ts';
import { LEAVE_UNANSWERED, RESTORED_OWNER, rememberRestore } from '../restored.ts';
import type { Database } from './database.ts';

export function sqliteHoldBack(db: Database): (order: RestoreOrder) => Promise<HeldBack> {
  const claim = db.prepare(
    `UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = ?1, claim = ?1, claimed_at = ?2, repeat_until = ?2, ${OWN_DEADLINE}
      WHERE phase IN (${READY}, ${PUT_OFF}) OR phase = ${SET_ASIDE} AND state IN ('queued', 'retrying')`,
  );
  const hold = db.prepare(
    `UPDATE reservation SET status = 'HELD', was_stopped = status = 'STOPPED', updated_at = ?
      WHERE status IN ('PENDING', 'PROCESSING', 'STOPPED')`,
  );
  const leaveUnanswered = db.prepare(LEAVE_UNANSWERED);
  return ({ since, now }) =>
    db.write(() => {
      leaveUnanswered.run();
      db.prepare(rememberRestore(now)).run();
      return {
        doubted: Number(claim.run(RESTORED_OWNER, since).changes),
        held: Number(hold.run(now).changes),
      };
    });
}
