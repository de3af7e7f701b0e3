/**
 * The phase of a job: ready to be claimed, claimed by its owner, awaiting a receipt, put off until its due time, or set aside.
 * A job that is ready is due, whatever the wall clock says; `due_at` is then its position in the queue.
 */
import type { StepState } from '../domain/delivery/lifecycle.ts';

export const READY = 0;
export const CLAIMED = 1;
export const AWAITING_RECEIPT = 2;
export const PUT_OFF = 3;
/** It cannot be read (unreadable.ts). Each start tries again. */
export const SET_ASIDE = 4;
/**
 * What a step that is set aside has on top of its deadline. Whatever runs by the clock finds steps by their deadline and never
 * meets it, in older versions too; the index of deadlines finds all of them.
 */
export const ASIDE_MS = 1e15;
/** For `UPDATE job SET …`; setting aside twice changes nothing more. */
export const ASIDE_CHANGES = `phase = ${SET_ASIDE}, deadline_at = deadline_at % ${ASIDE_MS} + ${ASIDE_MS}`;
export const OWN_DEADLINE = `deadline_at = deadline_at % ${ASIDE_MS}`;

/** The order of an account's steps: what goes to one recipient at a time, then bulk. */
export const SINGLE = 0;
export const BULK = 1;

export function phaseOf(state: StepState, delayMs: number): number {
  switch (state) {
    case 'queued':
    case 'retrying':
      return delayMs > 0 ? PUT_OFF : READY;
    case 'submitting':
      return CLAIMED;
    case 'submitted':
    case 'unknown':
      return AWAITING_RECEIPT;
    case 'delivered':
    case 'failed':
    case 'expired':
      throw new Error(`a step that is ${state} has no place in the queue`);
  }
}
