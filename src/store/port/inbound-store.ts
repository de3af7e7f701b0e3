/**
 * The part of the store port for messages that people send us (MO).
 *
 * A message is stored once, whatever the carrier repeats. One with an id of the carrier's own is known by it for as long as it
 * is kept. Any other is known by what it says, until it is certain that the carrier got our answer: `confirm`. After that the
 * same words are another message. Parts of a long message are kept until all are there, and are known in the same way.
 */

import type { AccountId, MsgKey } from '../../domain/ids.ts';
import type { InboundMessage, RegisteredNumber } from '../../domain/inbound/inbound.ts';
import type { Sweeps } from './upkeep-store.ts';

export interface NewInbound extends InboundMessage {
  readonly text: string;
  /** The carrier's own id of it. */
  readonly carrierId: string | undefined;
  /**
   * Without an id: how many with the same words came before it, are not confirmed, and are known to be others. Undefined where
   * its parts are known.
   */
  readonly occurrence: number | undefined;
  /** When its rules are applied by whichever node, unless that was done before; undefined for one that is nobody's. */
  readonly rulesAt: number | undefined;
}

export interface NewInboundPart {
  readonly carrier: string;
  readonly to: string;
  readonly from: string;
  /** Tells the long messages of a sender apart. */
  readonly reference: string;
  /** From 1. */
  readonly part: number;
  readonly total: number;
  readonly alphabet: string;
  /** Base64. Texts are cut between octets, not between characters. */
  readonly octets: string;
  readonly receivedAt: number;
}

export interface StoredInboundPart extends NewInboundPart {
  readonly id: number;
}

export interface AddedPart {
  readonly id: number;
  /** All parts of its message in their order, if they are there and were not joined yet. */
  readonly complete: readonly StoredInboundPart[] | undefined;
}

/** What came of the answer that a rule sends. */
export type InboundReply =
  | { readonly msgKey: MsgKey }
  /** A result code, or why none was sent. */
  | { readonly problem: string };

/**
 * unmatched  nobody's
 * waiting    for a poll, or for the webhook pusher
 * fetched    by polling
 * pushed     in the hands of the webhook pusher
 * expired    was not fetched in time; look-up and history still have it
 */
export const INBOUND_HANDOVERS = ['unmatched', 'waiting', 'fetched', 'pushed', 'expired'] as const;
export type InboundHandover = (typeof INBOUND_HANDOVERS)[number];

export interface StoredInbound extends InboundMessage {
  /** Fetched by polling. */
  readonly fetchedAt: number | undefined;
  readonly handover: InboundHandover;
  readonly reply: InboundReply | undefined;
}

export interface InboundQuery {
  /** Of one account; `null` for those that are nobody's; undefined for all. */
  readonly account: AccountId | null | undefined;
  /** Received from. */
  readonly since: number;
  /** Every way in which the sender may be written. */
  readonly from: readonly string[] | undefined;
  readonly to: string | undefined;
  /** Goes on behind this one. */
  readonly after: MsgKey | undefined;
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
}

export interface InboundBatch {
  readonly batchId: string;
  readonly messages: readonly StoredInbound[];
}

export interface InboundCutoffs {
  readonly now: number;
  /** Unfetched ones from before wait no longer. */
  readonly unfetchedBefore: number;
  /** Texts from before are removed. */
  readonly textsBefore: number;
  /** Everything from before is deleted. */
  readonly before: number;
  /** What was not confirmed until then is known by its words no longer. */
  readonly unconfirmedBefore: number;
}

export interface InboundStore {
  /** What is registered for these numbers, of every account. */
  owners(numbers: readonly string[]): Promise<RegisteredNumber[]>;
  /** Stores those that are new; resolves to the keys of all, and whether each was new. */
  add(messages: readonly NewInbound[]): Promise<{ readonly msgKey: MsgKey; readonly isNew: boolean }[]>;
  addPart(part: NewInboundPart): Promise<AddedPart>;
  /** Stores the message in the place of its parts; false, and nothing changes, if one of them was joined before. */
  join(parts: readonly number[], message: NewInbound): Promise<boolean>;
  /** Messages of which no part has come since: all parts of each, of up to `limit` messages behind the first `skip`. */
  staleParts(receivedBefore: number, limit: number, skip: number): Promise<(readonly StoredInboundPart[])[]>;
  /** The carrier has our answer to these. */
  confirm(messages: readonly MsgKey[], parts: readonly number[]): Promise<void>;
  /**
   * Messages whose rules are due; they are due again at `again`, unless `rulesApplied` is called before; unreadable ones later.
   * One that has a `reply` already gets no other.
   */
  dueRules(now: number, again: number, limit: number): Promise<StoredInbound[]>;
  rulesApplied(msgKey: MsgKey, reply: InboundReply | undefined): Promise<void>;
  /**
   * Of the latest messages that a sender has sent to a number since, up to `most` and before this one: how many there are, and how many
   * were answered or may yet be.
   */
  countFrom(order: {
    readonly from: string;
    readonly to: string;
    readonly since: number;
    readonly before: MsgKey;
    readonly most: number;
  }): Promise<{ readonly messages: number; readonly answered: number }>;
  find(msgKey: MsgKey): Promise<StoredInbound | undefined>;
  /**
   * The batch that the account holds, or a new one of the oldest that wait: as reports are polled. Messages that cannot be read
   * are left out until the next start. A batch of which no message is left ends here.
   */
  poll(query: {
    readonly account: AccountId;
    readonly newId: () => string;
    readonly limit: number;
    readonly since: number;
    readonly now: number;
  }): Promise<InboundBatch | undefined>;
  /** True if it was the account's open batch. */
  acknowledge(account: AccountId, batchId: string, now: number): Promise<boolean>;
  /** Whether this is the account's open batch. Certain also after an `acknowledge` that may have happened. */
  holds(account: AccountId, batchId: string): Promise<boolean>;
  list(query: InboundQuery): Promise<StoredInbound[]>;
  /** Gives one that is nobody's to an account; false if there is none. */
  assign(msgKey: MsgKey, account: AccountId): Promise<boolean>;
  /** Takes a sender out of messages and parts, of one account or of all; resolves to the number of messages. */
  erase(from: readonly string[], account: AccountId | undefined): Promise<number>;
  /** Delete what is past its time. */
  sweeps(cutoffs: InboundCutoffs): Sweeps;
}
