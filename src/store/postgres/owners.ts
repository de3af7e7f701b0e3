/**
 * The owner of a job is the node that claimed it, and stays so while it waits for its receipt. Where no node has to answer
 * for a job, the column says why: it is indexed anyway, and another indexed column would make every update dearer.
 */

/** Ready for its turn. */
export const READY_FOR_ANY = 'owner IS NULL';
/** Waits for its receipt, and its node is gone. */
export const OWNER_GONE = '';
/** Put off until its due time. */
export const PUT_OFF_OWNER = '+';
/** In doubt until its receipt or its deadline. */
export const IN_DOUBT_OWNER = '?';

/** Owners that are nodes. */
export const IS_NODE = `owner NOT IN ('${OWNER_GONE}', '${PUT_OFF_OWNER}', '${IN_DOUBT_OWNER}')`;
