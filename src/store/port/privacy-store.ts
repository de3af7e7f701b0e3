/**
 * The part of the store port that finds what is kept of a message beside its own rows, and erases its recipient.
 *
 * Erasing removes the number, the replacement words and, if nobody else got it, the text. What is kept: that a message was
 * sent, when, and its outcome. A pending message cannot be erased without losing it: the order waits for its end.
 *
 * An order ends when nothing is left of it. What it could not do is its *rest*: images, what could not be read, and traces in
 * the files of the database. It is stored before the step that may fail, and tried again until it is done.
 */
import type { AccountId, FileKey, MsgKey } from '../../domain/ids.ts';
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
  /** What else has to be done yet. */
  readonly rest: number;
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

/** Images of a message; messages, lists of reservations, parked receipts and set-aside events that could not be read. */
export type RestKind = 'image' | 'message' | 'list' | 'receipt' | 'event';

export interface RestItem {
  readonly kind: RestKind;
  /** Of the message or the list, or the id of the receipt or event. */
  readonly key: string;
  /** Of an image. */
  readonly fileKey?: FileKey | undefined;
}

/** A part of the rest with its order. */
export interface ErasureRest extends RestItem {
  readonly order: string;
  readonly withImages: boolean;
  readonly account: AccountId | undefined;
  /** Kept with the order while something could not be read that may name it. */
  readonly number: string | undefined;
}

/** What became of the text of a message whose recipient was to be erased. */
export type TextFate =
  /** It is gone, or the whole message. */
  | 'removed'
  /** Others got it too. */
  | 'shared'
  /** The message was not erased yet. */
  | 'there';

export interface PrivacyStore extends ErasureRestStore {
  traces(msgKey: MsgKey): Promise<MessageTraces>;
  /** Parked receipts behind this id, by id. */
  parked(after: number, limit: number): Promise<ParkedPage>;
  unpark(ids: readonly number[]): Promise<void>;
  /** What was set aside behind this id, by id, with the rows that this process has found unreadable so far. */
  setAside(after: number, limit: number): Promise<(SetAside & { readonly id: number })[]>;
  /** Puts another event in the place of one that was set aside. */
  replaceSetAside(id: number, event: string): Promise<void>;
  /** Stores an order, as under way. */
  order(erasure: NewErasure): Promise<void>;
  /**
   * Erases those of the messages that have ended; the others are left to the order. `writings`: how the number may be written,
   * for messages whose recipient cannot be read.
   */
  erase(order: string, keys: readonly MsgKey[], now: number, writings?: readonly string[]): Promise<Erased>;
  /** All messages of the order have been looked at. Its rest is what is still to be done. */
  lookedThrough(order: string): Promise<void>;
  /** Messages that orders wait for and that have ended since, by order and key, behind this one. */
  endedSince(after: EndedSince | undefined, limit: number): Promise<EndedSince[]>;
  /** Ends orders with nothing left to do. */
  endOrders(now: number): Promise<void>;
  /** Deletes orders from before, which have ended or were interrupted. */
  sweep(orderedBefore: number): Promise<void>;
  /** Newest first. */
  orders(limit: number): Promise<Erasure[]>;
}

export interface ParkedPage {
  readonly receipts: readonly ParkedReceipt[];
  readonly unreadable: readonly number[];
  /** The last id of the page; undefined at the end. */
  readonly after: number | undefined;
}

export interface ErasureRestStore {
  /** Stores what an order has yet to do, with the number where it will be needed for it. */
  leaveRest(order: string, items: readonly RestItem[], number?: string): Promise<void>;
  /** What orders have yet to do, behind this; images only of messages that have ended. */
  rest(after: ErasureRest | undefined, limit: number): Promise<ErasureRest[]>;
  /** Nothing is left of this. The number goes with the last that needs it. */
  restDone(rest: Pick<ErasureRest, 'order' | 'kind' | 'key' | 'fileKey'>): Promise<void>;
  /** Read from what was erased alone, so that it is known of messages that cannot be read, too. */
  textFate(msgKey: MsgKey): Promise<TextFate>;
  /**
   * Takes what was erased out of logs and free space, as far as the engine can; false if something was in the way. Then it is
   * part of the rest.
   */
  scrub(): Promise<boolean>;
}
