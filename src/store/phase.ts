/** Where a job stands in the queue: ready from its due time on, claimed by its owner, or waiting for a receipt. */
import type { StepState } from '../domain/lifecycle.ts';

export const READY = 0;
export const CLAIMED = 1;
export const WAITING = 2;

/** The order of an account's steps: what goes to one recipient at a time, then bulk. */
export const SINGLE = 0;
export const BULK = 1;

export function phaseOf(state: StepState): number {
  switch (state) {
    case 'queued':
    case 'retrying':
      return READY;
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
