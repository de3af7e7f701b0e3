/** The operator's view of the queue: how deep it is, what is in it, what could not be settled. */
import type { OperationsOf } from '../operations/operation.ts';
import type { DepthView, queue as declared } from '../operations/queue.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { MessageView, QueueDepth, Store } from '../store/store.ts';
import type { Handlers } from './perform.ts';

const USUAL_MESSAGES = 50;
const MOST_SET_ASIDE = 100;

export type Queue = Handlers<OperationsOf<typeof declared>>;

export function createQueue({
  store,
  formatTime,
}: {
  readonly store: Pick<Store, 'queue'>;
  readonly formatTime: FormatTime;
}): Queue {
  return {
    'GET /queue': async () => shownDepth(await store.queue.depth()),
    async 'GET /queue/messages'({ limit = USUAL_MESSAGES }) {
      const messages = await store.queue.peek(limit);
      return { messages: messages.map(lineOf) };
    },
    'GET /queue/set-aside': () => store.queue.listSetAside(MOST_SET_ASIDE),
  };

  function lineOf(message: MessageView) {
    const { msgKey, account, to, flow, state, step, attempt, acceptedAt } = message;
    return {
      ...{ msgKey, account, to, channel: flow[step]?.channel ?? '-', state, step, attempt },
      acceptedAt: formatTime(acceptedAt),
      postponedUntil: postponedUntil(message, formatTime),
    };
  }
}

/** As the API names the phases: there `waiting` means awaiting a receipt. */
export function shownDepth({
  ready,
  claimed,
  awaitingReceipt,
  putOff,
  oldestReadyAt,
}: QueueDepth): DepthView {
  return { ready, claimed, waiting: awaitingReceipt, putOff, oldestReadyAt };
}

function postponedUntil({ state, history }: MessageView, formatTime: FormatTime): string | null {
  const last = state === 'queued' ? history.at(-1) : undefined;
  return last?.event === 'postponed' && last.until !== undefined ? formatTime(last.until) : null;
}
