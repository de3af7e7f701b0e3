import { call, pathOf } from './call.ts';
import type { Channel, Step } from './steps.ts';

export const STATES = [
  'queued',
  'submitting',
  'submitted',
  'retrying',
  'unknown',
  'delivered',
  'failed',
  'expired',
] as const;
export type State = (typeof STATES)[number];

const ENDED: readonly State[] = ['delivered', 'failed', 'expired'];

export function isEnded(state: State): boolean {
  return ENDED.includes(state);
}

/** In the place of a recipient that was erased. */
export const ERASED = 'erased';

export interface MessageRow {
  readonly msgKey: string;
  readonly account: string;
  readonly to: string;
  readonly ref?: string;
  readonly channels: readonly Channel[];
  readonly step: number;
  readonly state: State;
  readonly code: string | null;
  readonly carrier: string | null;
  readonly acceptedAt: string;
  readonly finishedAt: string | null;
}

export interface MessageSearch {
  readonly key?: string;
  readonly to?: string;
  readonly ref?: string;
  readonly account?: string;
  readonly channel?: string;
  readonly state?: string;
  readonly code?: string;
  readonly from?: string;
  readonly until?: string;
  readonly cursor?: string;
}

export interface TimelineEntry {
  readonly at: string;
  readonly step?: number;
  readonly attempt?: number;
  readonly event: string;
  readonly carrier?: string;
  readonly code?: string;
  readonly why?: string;
}

export interface Message {
  readonly msgKey: string;
  readonly account: string;
  readonly to: string;
  /** Whether number and texts are masked. */
  readonly masked: boolean;
  readonly ref?: string;
  readonly flow: readonly Step[];
  /** Every step as the recipient gets it. */
  readonly rendered: readonly Step[];
  /** Set when nothing is left of its text; there is then no request to repeat. */
  readonly textRemovedAt?: string;
  readonly state: State;
  readonly step: number;
  readonly attempt: number;
  readonly acceptedAt: string;
  readonly timeline: readonly TimelineEntry[];
  readonly reports?: readonly WireReport[];
  readonly request?: { readonly method: string; readonly path: string; readonly body: unknown };
  readonly response?: unknown;
}

/** A report record as clients get it. */
export interface WireReport {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly sendTime?: string;
  readonly reportTime: string;
  readonly reportType: string;
  readonly reportCode: string;
  readonly reportText: string;
  /** Code of the mobile network. */
  readonly carrier?: string;
  readonly resCnt?: string;
  readonly ref?: string;
}

export const findMessages = (search: MessageSearch, signal: AbortSignal) =>
  call<{ messages: readonly MessageRow[]; next: string | null }>('GET', '/messages', {
    query: { ...search },
    signal,
  });

export const readMessage = (msgKey: string, signal: AbortSignal) =>
  call<Message>('GET', pathOf('messages', msgKey), { signal });

/** In clear; the reason is in the audit log. */
export const revealMessage = (msgKey: string, reason: string) =>
  call<Message>('POST', pathOf('messages', msgKey, 'reveal'), { body: { reason } });
