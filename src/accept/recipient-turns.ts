/**
 * Lets other requests run while a message is filled in for many recipients. A message may be large, and is read again for each
 * recipient. So only some recipients are checked in one turn of the event loop, those of all requests together.
 */
import { nextTurn } from '../platform/next-turn.ts';

/** The contract's recipients of one request, of which the largest messages take some milliseconds. */
const RECIPIENTS_A_TURN = 10;

/** To be awaited before each recipient; no promise for most. */
export function recipientTurns(): () => Promise<void> | undefined {
  let left = RECIPIENTS_A_TURN;
  let next: Promise<void> | undefined;
  return () => {
    if (left > 0) {
      left--;
      return undefined;
    }
    next ??= nextTurn().then(() => {
      left = RECIPIENTS_A_TURN - 1;
      next = undefined;
    });
    return next;
  };
}
