/** The part of the store port that accepts messages and finds them again. */
import type { Flow } from '../../domain/delivery/flow.ts';
import type { StepState } from '../../domain/delivery/lifecycle.ts';
import type { RouteChoice } from '../../domain/delivery/routing.ts';
import type { HistoryEntry } from '../../domain/delivery/settlement.ts';
import type { AccountId, MsgKey, RequestId } from '../../domain/ids.ts';
import type { Words } from '../../domain/text/substitution.ts';

export interface NewMessage {
  readonly msgKey: MsgKey;
  readonly to: string;
  /** The client's reference of this recipient, where it differs from the request's. */
  readonly ref?: string | undefined;
  /** Values of the placeholders in the flow; undefined where the flow is sent as it is. */
  readonly words: Words | undefined;
  /** The carrier of its first step, and why it was chosen. */
  readonly route: RouteChoice;
}

/** A request about to be accepted: the flow once, a small row for each recipient. */
export interface NewRequest {
  readonly requestId: RequestId;
  readonly account: AccountId;
  readonly acceptedAt: number;
  readonly ref: string | undefined;
  /** What the client groups its messages by. */
  readonly groupKey?: string | undefined;
  /** The trace of the client that the request belongs to. */
  readonly traceparent?: string | undefined;
  /** The client's settlement department. */
  readonly paymentCode: string | undefined;
  readonly flow: Flow;
  readonly messages: readonly NewMessage[];
  /** Deadline of the first step. */
  readonly deadlineAt: number;
  /** Its steps are claimed after those that the account sends to one recipient at a time. */
  readonly isBulk: boolean;
  /** A success that comes after a step has ended otherwise gets a report record of its own. */
  readonly reportsLateDelivery: boolean;
  /** Stored as claimed, by this node under this claim: the carrier has room for all of it. Otherwise it queues. */
  readonly claim: NewClaim | undefined;
  readonly idempotency: IdempotencyEntry | undefined;
}

export interface NewClaim {
  readonly owner: string;
  readonly claim: string;
}

export interface IdempotencyEntry {
  /** Path and client's key; the account is the request's. */
  readonly key: string;
  readonly bodyHash: string;
  /** The answer to give again. */
  readonly response: string;
}

/** The answer that was given under a key, and the hash of the body that it was given to. */
export type GivenAnswer = Omit<IdempotencyEntry, 'key'>;

export type AcceptResult =
  | { readonly kind: 'stored' }
  | { readonly kind: 'replayed'; readonly response: string }
  /** The key was used with another body. */
  | { readonly kind: 'conflict' };

export interface MessageView {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly to: string;
  readonly words: Words | undefined;
  /** Of the recipient, or of the request. */
  readonly ref: string | undefined;
  readonly groupKey: string | undefined;
  readonly paymentCode: string | undefined;
  /** Once its text has been removed: the channels and nothing else. */
  readonly flow: Flow;
  readonly textRemovedAt: number | undefined;
  readonly acceptedAt: number;
  readonly state: StepState;
  readonly step: number;
  readonly attempt: number;
  readonly history: readonly HistoryEntry[];
}

export interface MessageStore {
  accept(request: NewRequest): Promise<AcceptResult>;
  /** The answer that the account was given under a key; undefined for a new one. */
  answerUnder(account: AccountId, key: string): Promise<GivenAnswer | undefined>;
  /** Whether it is stored. Certain even after an `accept` that may have happened: no write is under way any more. */
  isStored(requestId: RequestId): Promise<boolean>;
  /**
   * Takes back a request without an idempotency key whose acceptance its sender never learned of. False if it was kept,
   * because one of its steps had been claimed.
   */
  withdraw(requestId: RequestId): Promise<boolean>;
  /** One message with its history, unless it cannot be read. Without an account: the operator's view. */
  find(msgKey: MsgKey, account?: AccountId): Promise<MessageView | undefined>;
}
