/** What became of each message of a flow, as its recipient would tell it. */
import { isEnded, type Message } from '../gateway/messages.ts';

export type Fate = 'received' | 'failed' | 'doubtful' | 'onTheWay' | 'waiting' | 'unsent';

/** Events after which the network may have the message. */
const HANDED_OVER: readonly string[] = [
  ...['accepted', 'lost', 'repeated', 'takenOver'],
  ...['receivedFailed', 'toldFailed', 'lateFailure', 'latePart'],
];

/** Events that say that it has arrived. */
const DELIVERED: readonly string[] = ['receivedDelivered', 'toldDelivered', 'lateDelivery'];

type Told = Pick<Message, 'state' | 'step' | 'timeline' | 'fate'>;

export function fateOf(message: Told, index: number): Fate {
  const { state, step, fate } = message;
  const events = eventsOf(message, index);
  if (DELIVERED.some(event => events.includes(event))) return 'received';
  if (index > step) return isEnded(state) ? 'unsent' : 'waiting';
  if (index < step) return isSilent(events) ? 'doubtful' : 'failed';
  if (isEnded(state)) {
    if (state === 'delivered') return 'received';
    if (fate === 'notTaken' || fate === 'failed') return 'failed';
    // The gateway knows more than the events: a code may say that nobody knows.
    const isOther = Array.from({ length: step }, (_, other) => eventsOf(message, other)).some(isSilent);
    return isSilent(events) || (fate === 'unsure' && !isOther) ? 'doubtful' : 'failed';
  }
  switch (state) {
    case 'submitted':
      return 'onTheWay';
    case 'unknown':
      return 'doubtful';
    default:
      return 'waiting';
  }
}

function eventsOf({ timeline }: Told, index: number): readonly string[] {
  return timeline.filter(entry => entry.step === index).map(({ event }) => event);
}

/** It ended without a receipt after it was handed over; what never left the gateway has certainly not arrived. */
function isSilent(events: readonly string[]): boolean {
  return events.includes('deadline') && events.some(event => HANDED_OVER.includes(event));
}
