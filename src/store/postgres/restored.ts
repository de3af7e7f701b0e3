/** What waits in a restored store is not sent by itself (port/upkeep-store.ts). */
import { ASIDE_MS, CLAIMED, OWN_DEADLINE } from '../phase.ts';
import type { HeldBack, RestoreOrder } from '../port/upkeep-store.ts';
import { LEAVE_UNANSWERED, RESTORED_OWNER, rememberRestore } from '../restored.ts';
import type { Database } from './database.ts';
import { PUT_OFF_OWNER, READY_FOR_ANY } from './owners.ts';

/** Rows of one statement: each must end in the time that the store may take. */
const CHUNK = 2_000;

const HOLD = `
  UPDATE reservation SET status = 'HELD', was_stopped = CASE status WHEN 'STOPPED' THEN 1 ELSE 0 END, updated_at = $1
   WHERE resv_key = ANY (ARRAY(
     SELECT resv_key FROM reservation WHERE status IN ('PENDING', 'PROCESSING', 'STOPPED') LIMIT ${CHUNK} FOR UPDATE))`;
const claimWhere = (condition: string) => `
  UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = attempt + 1, owner = '${RESTORED_OWNER}',
                 claim = '${RESTORED_OWNER}', claimed_at = $1, repeat_until = $1, ${OWN_DEADLINE}
   WHERE msg_key = ANY (ARRAY(SELECT msg_key FROM job WHERE ${condition} LIMIT ${CHUNK} FOR UPDATE))`;
const CLAIM_READY = claimWhere(READY_FOR_ANY);
const CLAIM_PUT_OFF = claimWhere(`owner = '${PUT_OFF_OWNER}'`);
const CLAIM_ASIDE = claimWhere(`deadline_at >= ${ASIDE_MS} AND state IN ('queued', 'retrying')`);

export function postgresHoldBack(db: Database): (order: RestoreOrder) => Promise<HeldBack> {
  return async ({ since, now }) => {
    await db.query(LEAVE_UNANSWERED);
    await db.query(rememberRestore(now));
    // Reservations first: they make new steps.
    const held = await all(HOLD, now);
    const ready = await all(CLAIM_READY, since);
    const putOff = await all(CLAIM_PUT_OFF, since);
    const aside = await all(CLAIM_ASIDE, since);
    return { doubted: ready + putOff + aside, held };
  };

  async function all(statement: string, moment: number): Promise<number> {
    let changed = 0;
    for (;;) {
      const { count } = await db.query(statement, [moment]);
      changed += count;
      if (count < CHUNK) return changed;
    }
  }
}
