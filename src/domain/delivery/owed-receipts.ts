/** Whether a carrier may still send a receipt of a step, as far as the history of its message tells. */
import { isFinal, type StepState } from './lifecycle.ts';
import { countOpen } from './parts.ts';
import type { HistoryEntry } from './settlement.ts';

interface Told {
  readonly state: StepState;
  /** The last step that has begun. */
  readonly step: number;
  readonly history: readonly HistoryEntry[];
}

/** They say nothing of which carrier has the step. */
const NOTES: ReadonlySet<HistoryEntry['event']> = new Set([
  ...(['latePart', 'lateDelivery', 'takenOver', 'receiptAmbiguous'] as const),
]);
/** The carrier has the attempt, or may have it. */
const HELD: ReadonlySet<StepState> = new Set(['submitting', 'submitted', 'unknown']);

export function mayOweReceipt({ state, step: last, history }: Told, step: number, carrier: string): boolean {
  const ofStep = history.filter(entry => entry.step === step);
  const has = (event: HistoryEntry['event']) => ofStep.some(entry => entry.event === event);
  const asked = ofStep.findLast(entry => entry.carrier !== undefined && !NOTES.has(entry.event));
  if (asked?.carrier !== carrier || has('receivedDelivered') || has('lateDelivery')) return false;
  const parts = ofStep.findLast(entry => entry.parts !== undefined)?.parts;
  // The part that failed is an open one.
  if (has('receivedFailed')) return parts !== undefined && countOpen(parts) > 1;
  if (step === last && !isFinal(state)) return HELD.has(state) || asked.event === 'repeated';
  switch (asked.event) {
    case 'toldDelivered':
    case 'toldFailed':
      return true;
    case 'refused':
      return parts !== undefined;
    case 'deadline':
      return has('repeated') || wasRunning(asked, ofStep);
    default:
      // It was cancelled, or put off until the end.
      return false;
  }
}

/**
 * Whether an attempt was under way when the deadline passed. A step that waits for its next one then has the number of the last,
 * which the carrier put off.
 */
export function wasRunning({ attempt }: HistoryEntry, ofStep: readonly HistoryEntry[]): boolean {
  return attempt > 0 && !ofStep.some(entry => entry.event === 'deferred' && entry.attempt === attempt);
}
