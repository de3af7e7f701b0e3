/** The operator's view of the queue: how deep it is, what is in it, what could not be settled. */
import type { MessageView, QueueDepth, SetAside, Store } from '../store/store.ts';
import { shownSetAside } from './masking.ts';

/** As the API names the phases: there `waiting` means awaiting a receipt. */
type ShownDepth = Omit<QueueDepth, 'heads' | 'awaitingReceipt'> & { readonly waiting: number };

export interface Queue {
  depth(): Promise<ShownDepth>;
  /** The oldest messages that are not finished. */
  peek(limit: number): Promise<MessageView[]>;
  /** Answers and receipts that the store could not write, newest first, with masked numbers. */
  setAside(): Promise<SetAside[]>;
}

const MOST_SET_ASIDE = 100;

export function createQueue({ store }: { readonly store: Pick<Store, 'queue'> }): Queue {
  return {
    async depth() {
      const { ready, claimed, awaitingReceipt, putOff, oldestReadyAt } = await store.queue.depth();
      return { ready, claimed, waiting: awaitingReceipt, putOff, oldestReadyAt };
    },
    peek: limit => store.queue.peek(limit),
    async setAside() {
      return (await store.queue.listSetAside(MOST_SET_ASIDE)).map(shownSetAside);
    },
  };
}
