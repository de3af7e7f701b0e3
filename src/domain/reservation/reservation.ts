/**
 * A reservation: a send that waits for its time.
 *
 *   PENDING     its time has not come
 *   PROCESSING  its time has come; its recipients go into the queue, list by list, while the account's queue is short
 *   STOPPED     halted on its way; the rest of its recipients wait
 *   HELD        the store was restored: it may have been sent since the backup, so an operator releases or cancels it
 *   COMPLETED   every recipient has gone into the queue
 *   CANCELLED   nothing more is sent
 *
 * What must never happen: a recipient goes into the queue twice, or after a stop or a cancel was answered.
 */
import type { Channel } from '../channels/channel.ts';
import type { Flow } from '../delivery/flow.ts';
import type { AccountId, MsgKey, RequestId, ResvKey } from '../ids.ts';
import type { Words } from '../text/substitution.ts';

export const RESERVATION_STATES = [
  'PENDING',
  'PROCESSING',
  'STOPPED',
  'HELD',
  'COMPLETED',
  'CANCELLED',
] as const;
export type ReservationState = (typeof RESERVATION_STATES)[number];

/** What an operator may ask for, the states in which it can be, and the state after it. */
export const RESERVATION_MOVES = {
  cancel: { from: ['PENDING', 'STOPPED', 'HELD'], to: 'CANCELLED' },
  stop: { from: ['PROCESSING'], to: 'STOPPED' },
  resume: { from: ['STOPPED'], to: 'PROCESSING' },
  /** One that was STOPPED when the store was restored becomes STOPPED again. */
  release: { from: ['HELD'], to: 'PENDING' },
} as const satisfies Record<
  string,
  { readonly from: readonly ReservationState[]; readonly to: ReservationState }
>;
export type ReservationMove = keyof typeof RESERVATION_MOVES;
/** Those that a sender may ask for. A sender cannot know what was sent before a restore. */
export const SENDER_MOVES = ['cancel', 'stop', 'resume'] as const satisfies readonly ReservationMove[];

/** In which its time and name can be changed. */
export const CHANGEABLE: readonly ReservationState[] = ['PENDING', 'HELD'];
/** In which recipients can be added and removed. */
export const OPEN_TO_RECIPIENTS: readonly ReservationState[] = ['PENDING', 'STOPPED', 'HELD'];

export const MAX_RESERVED = 1_000_000;
export const MAX_RESERVATION_NAME = 100;
/** Recipients that become one request: they go into the queue in one transaction, which must be short. */
export const RECIPIENTS_A_LIST = 50;

/** What is sent: a flow that was read, or the entries of one as they came, and the form they came from. */
export type ReservedSource =
  | { readonly flow: Flow; readonly style?: string | undefined }
  | { readonly entries: unknown; readonly formId?: string | undefined };

export interface ReservedRecipient {
  /** Its place in the request: the last three digits of its msgKey. */
  readonly index: number;
  readonly to: string;
  readonly words?: Words | undefined;
  readonly ref?: string | undefined;
}

export interface RecipientList {
  readonly requestId: RequestId;
  readonly recipients: readonly ReservedRecipient[];
}

export interface Reservation {
  readonly resvKey: ResvKey;
  readonly account: AccountId;
  readonly status: ReservationState;
  readonly sendAt: number;
  /** The moment with which the keys of its messages begin: the time it was first reserved for. */
  readonly keysAt: number;
  readonly name: string | undefined;
  readonly ref: string | undefined;
  readonly paymentCode: string | undefined;
  readonly groupKey: string | undefined;
  /** The trace that the reserving request names. */
  readonly traceparent?: string | undefined;
  /** Undefined once its text has been removed, and while it cannot be read. */
  readonly source: ReservedSource | undefined;
  readonly channels: readonly Channel[];
  readonly isAdvertisement: boolean;
  /** Recipients, without those that were removed. */
  readonly expected: number;
  /** Those that went into the queue. */
  readonly sent: number;
  /** Of those, as far as counted. */
  readonly delivered: number;
  readonly failed: number;
  /** Size of what is sent and of all recipients, with their words; those that were removed are not counted. */
  readonly bytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | undefined;
}

/** A recipient as it is listed. */
export interface ListedRecipient {
  readonly msgKey: MsgKey;
  readonly to: string;
  /** It went into the queue. */
  readonly isSent: boolean;
}
