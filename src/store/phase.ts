/**
 * Where a job stands in the queue: ready for its turn, claimed by its owner, waiting for a receipt, or put off until its due
 * time. What is ready is due, whatever the wall clock says; `due_at` is then its place in the queue.
 */
import type { StepState } from '../domain/delivery/lifecycle.ts';

export const READY = 0;
export const CLAIMED = 1;
export const WAITING = 2;
export const PUT_OFF = 3;

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
      return WAITING;
    case 'delivered':
    case 'failed':
    case 'expired':
      throw new Error(`a step that is ${state} has no place in the queue`);
  }
}
