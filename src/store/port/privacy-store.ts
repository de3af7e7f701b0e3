/**
 * The part of the store port that finds what is kept of a message beside its own rows, and erases its recipient.
 *
 * Erasing takes the number, the words and, where nobody else got it, the text. What stays says that a message was sent, when,
 * and what became of it. A message on its way cannot be erased without losing it: the order waits for its end.
 */
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import type { ParkedReceipt, SetAside } from './queue-store.ts';
import type { DeliveryView } from './webhook-store.ts';

export interface MessageTraces {
  /** What carriers call its attempts. */
  readonly references: readonly {
    readonly carrier: string;
    readonly ref: string;
    readonly step: number;
    readonly attempt: number;
    readonly part: number;
    readonly createdAt: number;
  }[];
  readonly deliveries: readonly DeliveryView[];
  /** Answers that are kept to be given again. */
  readonly answers: readonly {
    readonly key: string;
    readonly response: string;
    readonly createdAt: number;
  }[];
}

export interface NewErasure {
  readonly id: string;
  readonly orderedAt: number;
  /** Of every account without it. */
  readonly account: AccountId | undefined;
  /** Masked. */
  readonly recipient: string;
  /** Images that only this recipient was sent go, too. */
  readonly withImages: boolean;
}

export interface Erasure extends Omit<NewErasure, 'withImages'> {
  /** Erased so far. */
  readonly messages: number;
  /** Still on their way. */
  readonly open: number;
  /** Not all messages have been looked at: the command is running, or was interrupted. */
  readonly isUnderWay: boolean;
  readonly endedAt: number | undefined;
}

export interface Erased {
  readonly messages: number;
  /** Texts that nobody else got. */
  readonly texts: number;
  /** Texts that stay, because others got them too. */
  readonly sharedTexts: number;
  /** References of the client that named the number. */
  readonly refs: number;
  readonly references: number;
  readonly answers: number;
  /** Still on their way: left to the order. */
  readonly open: number;
}

export const NOTHING_ERASED: Erased = {
  messages: 0,
  texts: 0,
  sharedTexts: 0,
  refs: 0,
  references: 0,
  answers: 0,
  open: 0,
};

export function sumOfErased(a: Erased, b: Erased): Erased {
  return {
    messages: a.messages + b.messages,
    texts: a.texts + b.texts,
    sharedTexts: a.sharedTexts + b.sharedTexts,
    refs: a.refs + b.refs,
    references: a.references + b.references,
    answers: a.answers + b.answers,
    open: a.open + b.open,
  };
}

export interface EndedSince {
  readonly order: string;
  readonly msgKey: MsgKey;
  readonly withImages: boolean;
}

export interface PrivacyStore {
  traces(msgKey: MsgKey): Promise<MessageTraces>;
  /** Parked receipts behind this id, by id. */
  parked(after: number, limit: number): Promise<ParkedReceipt[]>;
  unpark(ids: readonly number[]): Promise<void>;
  /** What was set aside behind this id, by id. */
  setAside(after: number, limit: number): Promise<(SetAside & { readonly id: number })[]>;
  /** Puts another event in the place of one that was set aside. */
  replaceSetAside(id: number, event: string): Promise<void>;
  /** Stores an order, as under way. */
  order(erasure: NewErasure): Promise<void>;
  /** Erases those of the messages that have ended; the others are left to the order. */
  erase(order: string, keys: readonly MsgKey[], now: number): Promise<Erased>;
  /** All messages of the order have been looked at. It ends when none of them is on its way any more. */
  lookedThrough(order: string, now: number): Promise<void>;
  /** Messages that orders wait for and that have ended since. */
  endedSince(limit: number): Promise<EndedSince[]>;
  /** Ends orders with nothing left to do, and those from before a moment, whose messages are deleted by now. */
  endOrders(now: number, orderedBefore: number): Promise<void>;
  /** Deletes orders from before, which have ended. */
  sweep(orderedBefore: number): Promise<void>;
  /** Newest first. */
  orders(limit: number): Promise<Erasure[]>;
  /** Takes what was erased out of logs and free space, as far as the engine can; false if something was in the way. */
  scrub(): Promise<boolean>;
}
