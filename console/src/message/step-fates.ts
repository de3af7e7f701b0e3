/** What became of each message of a flow, as its recipient would tell it. */
import { isEnded, type Message } from '../gateway/messages.ts';

export type Fate = 'received' | 'failed' | 'doubtful' | 'onTheWay' | 'waiting' | 'unsent';

/** Events after which the network may have the message. */
const HANDED_OVER: readonly string[] = ['accepted', 'lost', 'repeated', 'takenOver'];

/** Events that say that it has arrived. */
const DELIVERED: readonly string[] = ['receivedDelivered', 'toldDelivered', 'lateDelivery'];

export function fateOf(
  { state, step, timeline }: Pick<Message, 'state' | 'step' | 'timeline'>,
  index: number,
): Fate {
  const events = timeline.filter(entry => entry.step === index).map(({ event }) => event);
  if (DELIVERED.some(event => events.includes(event))) return 'received';
  if (index > step) return isEnded(state) ? 'unsent' : 'waiting';
  if (index < step || isEnded(state)) {
    if (index === step && state === 'delivered') return 'received';
    // Without a receipt nobody knows; what never left the gateway has certainly not arrived.
    const isOpen = events.includes('deadline') && events.some(event => HANDED_OVER.includes(event));
    return isOpen ? 'doubtful' : 'failed';
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
