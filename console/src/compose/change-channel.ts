/** What stays of a message when its channel is changed: between text messages, sender and texts. */
import type { Channel } from '../gateway/steps.ts';
import type { StepDraft } from './draft.ts';
import type { Entry } from './entry.ts';

const TEXT_CHANNELS: readonly Channel[] = ['sms', 'mms', 'international'];
const KEPT: readonly string[] = ['from', 'text', 'originCID'];

/** `newEntry` makes a new message of a channel. One that nobody has changed is replaced by it. */
export function changedEntry(step: StepDraft, to: Channel, newEntry: (channel: Channel) => Entry): Entry {
  const isText = TEXT_CHANNELS.includes(step.channel) && TEXT_CHANNELS.includes(to);
  const isUntouched = JSON.stringify(step.entry) === JSON.stringify(newEntry(step.channel));
  return isText && !isUntouched ? textsOf(step.entry) : newEntry(to);
}

/** Sender and text, for another text channel. */
export function textsOf(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => KEPT.includes(name)));
}
