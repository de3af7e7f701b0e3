/**
 * The owner of a job is the node that claimed it, also while it awaits its receipt. If no node is responsible for a job, the
 * column says why: it is indexed anyway, and another indexed column would make every update more expensive.
 */
import { ASIDE_CHANGES } from '../phase.ts';

/** Ready: any node may claim it. */
export const READY_FOR_ANY = 'owner IS NULL';
/** Awaits its receipt and its node is gone, or it is set aside. */
export const OWNER_GONE = '';
/** Put off until its due time. */
export const PUT_OFF_OWNER = '+';
/** Unknown until its receipt or its deadline. */
export const IN_DOUBT_OWNER = '?';

/** Sets the steps $1 aside; see phase.ts. Nodes of older versions leave this owner alone. */
export const LEAVE_ASIDE = `
  UPDATE job SET ${ASIDE_CHANGES}, owner = '${OWNER_GONE}' WHERE msg_key = ANY ($1::text[])`;
