/**
 * Ends the messages of recipients who have opted out as soon as they are stored: they get their reports at once, and do not
 * wait for a carrier. Nothing depends on it. What is missed here, because the store is away or a lane was faster, is found by
 * the check before each step goes out.
 */
import type { Flow } from '../domain/delivery/flow.ts';
import { isRefused } from '../domain/delivery/opt-out.ts';
import { stepInFlow } from '../domain/delivery/step-in-flow.ts';
import type { AccountId, MsgKey } from '../domain/ids.ts';
import { canonicalNumber } from '../domain/request/phone-number.ts';
import type { Events } from '../observe/events.ts';
import type { NewMessage, QueueEvent } from '../store/store.ts';
import type { OptOutLists } from './opt-out-lists.ts';

export type EndOptedOut = (account: AccountId, flow: Flow, messages: readonly NewMessage[]) => void;

export function createEndOptedOut(deps: {
  readonly lists: Pick<OptOutLists, 'covers' | 'entriesOf' | 'hasList'>;
  readonly settle: (events: readonly QueueEvent[]) => Promise<unknown>;
  readonly events: Pick<Events, 'failed'>;
}): EndOptedOut {
  const { lists, settle, events } = deps;

  return (account, flow, messages) => {
    if (!lists.hasList(account)) return;
    const asked = messages.filter(({ words }) => {
      const first = stepInFlow(flow, 0, words);
      return first !== undefined && lists.covers(account, first);
    });
    if (asked.length === 0) return;
    end(account, flow, asked).catch((error: unknown) => events.failed('end opted-out messages', error));
  };

  async function end(account: AccountId, flow: Flow, messages: readonly NewMessage[]): Promise<void> {
    const numberOf = ({ to }: NewMessage) => canonicalNumber(to) ?? '';
    const found = await lists.entriesOf(account, [...new Set(messages.map(numberOf))]);
    if (found.size === 0) return;
    const ended = messages.flatMap(message => {
      const entries = found.get(numberOf(message)) ?? [];
      const steps = flow.findIndex((_, index) => {
        const step = stepInFlow(flow, index, message.words);
        return step !== undefined && !isRefused(step, entries);
      });
      return eventsOf(message.msgKey, steps === -1 ? flow.length : steps);
    });
    if (ended.length > 0) await settle(ended);
  }
}

/** For the first steps of a message, as many as are refused in a row. */
function eventsOf(msgKey: MsgKey, steps: number): QueueEvent[] {
  return Array.from({ length: steps }, (_, step) => ({
    kind: 'step',
    ...{ msgKey, step, attempt: 0 },
    event: { name: 'optedOut' },
  }));
}
