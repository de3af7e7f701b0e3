/**
 * The owner of a job is the node that claimed it, also while it awaits its receipt. If no node is responsible for a job, the
 * column says why: it is indexed anyway, and another indexed column would make every update more expensive.
 */

/** Ready: any node may claim it. */
export const READY_FOR_ANY = 'owner IS NULL';
/** Awaits its receipt, and its node is gone. */
export const OWNER_GONE = '';
/** Put off until its due time. */
export const PUT_OFF_OWNER = '+';
/** Unknown until its receipt or its deadline. */
export const IN_DOUBT_OWNER = '?';
/** Set aside: what it says cannot be read. */
export const ASIDE_OWNER = '!';

/** Owners that are nodes. */
export const IS_NODE = `owner NOT IN ('${OWNER_GONE}', '${PUT_OFF_OWNER}', '${IN_DOUBT_OWNER}', '${ASIDE_OWNER}')`;
