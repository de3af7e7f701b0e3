/** What became of a message, for whoever thinks of sending it again. */
import { type Advice, adviceOn } from '../reports/report-advice.ts';
import { isFinal, type StepState } from './lifecycle.ts';
import { wasRunning } from './owed-receipts.ts';
import type { HistoryEntry } from './settlement.ts';

/**
 * open       it has not ended
 * delivered  also after it had ended otherwise
 * unsure     a carrier has it, or may have, and said nothing of what became of it
 * notTaken   no carrier took it: sent again, it cannot arrive twice
 * failed     a carrier took it, and said that it did not arrive
 */
export const FATES = ['open', 'delivered', 'unsure', 'notTaken', 'failed'] as const;
export type Fate = (typeof FATES)[number];

type Event = HistoryEntry['event'];

/** After these the network may have it. A receipt may come before the answer to its attempt, or in its place. */
const HANDED_OVER: readonly Event[] = [
  ...(['accepted', 'lost', 'repeated', 'takenOver'] as const),
  ...(['receivedFailed', 'toldFailed', 'lateFailure', 'latePart'] as const),
];
const DELIVERED: readonly Event[] = ['receivedDelivered', 'toldDelivered', 'lateDelivery'];

export function fateOf(state: StepState, history: readonly HistoryEntry[]): Fate {
  if (!isFinal(state)) return 'open';
  if (state === 'delivered' || history.some(({ event }) => DELIVERED.includes(event))) return 'delivered';
  const steps = [...Map.groupBy(history, ({ step }) => step).values()];
  const handedOver = steps.filter(ofStep => ofStep.some(entry => mayBeTaken(entry, ofStep)));
  if (handedOver.length === 0) return 'notTaken';
  return handedOver.some(ofStep => ofStep.some(isSilent)) ? 'unsure' : 'failed';
}

function mayBeTaken(entry: HistoryEntry, ofStep: readonly HistoryEntry[]): boolean {
  const { event } = entry;
  if (event === 'deadline') return wasRunning(entry, ofStep);
  return HANDED_OVER.includes(event) || (event === 'refused' && isSilent(entry));
}

/** It ended a step without telling whether what was handed over arrived. */
function isSilent({ event, code, carrier, parts }: HistoryEntry): boolean {
  switch (event) {
    case 'deadline':
      return true;
    case 'receivedFailed':
      return code !== undefined && adviceOn(code) === 'unsure';
    case 'refused':
      // The carrier has some of its parts, or says that it has the message from before.
      return (
        parts !== undefined || (carrier !== undefined && code !== undefined && saysItHasIt(adviceOn(code)))
      );
    default:
      return false;
  }
}

function saysItHasIt(advice: Advice): boolean {
  return advice === 'unsure' || advice === 'duplicate';
}

/** What an operator can do about it; null unless it failed. */
export function adviceFor(fate: Fate, history: readonly HistoryEntry[]): Advice | null {
  const code = history.findLast(entry => entry.code !== undefined)?.code;
  if (fate === 'open' || fate === 'delivered' || code === undefined) return null;
  const advice = adviceOn(code);
  // The code of silence says that it may have arrived, which is not so where no carrier took it.
  return fate === 'notTaken' && advice === 'unsure' ? 'carrier' : advice;
}
