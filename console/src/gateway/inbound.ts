import { readList } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export type Handover = 'unmatched' | 'waiting' | 'fetched' | 'pushed' | 'expired';

/** A message that somebody sent to a number of an account. */
export interface InboundRow {
  readonly msgKey: string;
  /** Null if the number is not registered. */
  readonly account: string | null;
  readonly carrier: string;
  readonly to: string;
  readonly from: string;
  /** Null when its time is over. */
  readonly text: string | null;
  readonly keyword: string | null;
  readonly receivedAt: string;
  readonly handover: Handover;
  readonly fetchedAt: string | null;
  readonly replyKey: string | null;
  readonly replyProblem: string | null;
  readonly masked: boolean;
}

/** In the place of an account: those that match none. */
export const NO_ACCOUNT = 'none';

export const listInbound = (account: string) => readList<InboundRow>('/inbound', 'messages', { account });

/** In clear; the reason is in the audit log. */
export const revealInbound = (msgKey: string, reason: string) =>
  call<InboundRow>('POST', pathOf('inbound', msgKey, 'reveal'), { body: { reason } });

export const assignInbound = (msgKey: string, account: string) =>
  call<InboundRow>('POST', pathOf('inbound', msgKey, 'assign'), { body: { account } });

/** A handset of the simulated network writes to a number. */
export const simulateInbound = (message: { from: string; to: string; text: string }) =>
  call<{ msgKey: string; account: string | null }>('POST', '/simulator/inbound', { body: message });
