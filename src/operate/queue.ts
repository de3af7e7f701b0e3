/** The operator's view of the queue: how deep it is, what is in it, what could not be settled. */
import { maskNumber } from '../domain/request/phone-number.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { MessageView, QueueDepth, SetAside, Store } from '../store/store.ts';
import { shownSetAside } from './masking.ts';

/** As the API names the phases: there `waiting` means awaiting a receipt. */
export type ShownDepth = Omit<QueueDepth, 'heads' | 'awaitingReceipt'> & { readonly waiting: number };

export interface QueuedMessage {
  readonly msgKey: string;
  readonly account: string;
  /** Masked for everybody. */
  readonly to: string;
  readonly channel: string;
  readonly state: string;
  readonly step: number;
  readonly attempt: number;
  readonly acceptedAt: string;
  /** Of an advertisement that waits for its hours: when it may go out. */
  readonly postponedUntil: string | null;
}

export interface Queue {
  depth(): Promise<ShownDepth>;
  /** The oldest messages that are not finished. */
  oldest(limit: number): Promise<QueuedMessage[]>;
  /** Answers and receipts that the store could not write, newest first, with masked numbers. */
  setAside(): Promise<SetAside[]>;
}

const MOST_SET_ASIDE = 100;

export function createQueue(deps: {
  readonly store: Pick<Store, 'queue'>;
  readonly formatTime: FormatTime;
}): Queue {
  const { store, formatTime } = deps;
  return {
    async depth() {
      return shownDepth(await store.queue.depth());
    },
    async oldest(limit) {
      return (await store.queue.peek(limit)).map(message => ({
        msgKey: message.msgKey,
        account: message.account,
        to: maskNumber(message.to),
        channel: message.flow[message.step]?.channel ?? '-',
        state: message.state,
        step: message.step,
        attempt: message.attempt,
        acceptedAt: formatTime(message.acceptedAt),
        postponedUntil: postponedUntil(message, formatTime),
      }));
    },
    async setAside() {
      return (await store.queue.listSetAside(MOST_SET_ASIDE)).map(shownSetAside);
    },
  };
}

export function shownDepth({
  ready,
  claimed,
  awaitingReceipt,
  putOff,
  oldestReadyAt,
}: QueueDepth): ShownDepth {
  return { ready, claimed, waiting: awaitingReceipt, putOff, oldestReadyAt };
}

function postponedUntil({ state, history }: MessageView, formatTime: FormatTime): string | null {
  const last = state === 'queued' ? history.at(-1) : undefined;
  return last?.event === 'postponed' && last.until !== undefined ? formatTime(last.until) : null;
}
