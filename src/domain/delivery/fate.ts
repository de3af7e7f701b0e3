/** What became of a message, for whoever thinks of sending it again. */
import { type Advice, adviceOn } from '../reports/report-advice.ts';
import { isFinal, type StepState } from './lifecycle.ts';
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

/** After these the network may have it. */
const HANDED_OVER: readonly Event[] = ['accepted', 'lost', 'repeated', 'takenOver'];
const DELIVERED: readonly Event[] = ['receivedDelivered', 'toldDelivered', 'lateDelivery'];

export function fateOf(state: StepState, history: readonly HistoryEntry[]): Fate {
  if (!isFinal(state)) return 'open';
  if (state === 'delivered' || history.some(({ event }) => DELIVERED.includes(event))) return 'delivered';
  const handedOver = history.filter(({ event }) => HANDED_OVER.includes(event));
  if (handedOver.length === 0) return 'notTaken';
  const isUnsure = handedOver.some(({ step }) =>
    history.some(entry => entry.step === step && isSilent(entry)),
  );
  return isUnsure ? 'unsure' : 'failed';
}

/** It ended a step that was handed over without telling whether it arrived. */
function isSilent({ event, code }: HistoryEntry): boolean {
  return (
    event === 'deadline' || (event === 'receivedFailed' && code !== undefined && adviceOn(code) === 'unsure')
  );
}

/** What an operator can do about it; null unless it failed. */
export function adviceFor(fate: Fate, history: readonly HistoryEntry[]): Advice | null {
  const code = history.findLast(entry => entry.code !== undefined)?.code;
  if (fate === 'open' || fate === 'delivered' || code === undefined) return null;
  const advice = adviceOn(code);
  // The code of silence says that it may have arrived, which is not so where no carrier took it.
  return fate === 'notTaken' && advice === 'unsure' ? 'carrier' : advice;
}
