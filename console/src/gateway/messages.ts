import { read, readList } from '../answers/question.ts';
import { call, callFile, pathOf } from './call.ts';
import type { Channel, Step } from './steps.ts';

export type State =
  | 'queued'
  | 'submitting'
  | 'submitted'
  | 'retrying'
  | 'unknown'
  | 'delivered'
  | 'failed'
  | 'expired';

/** Both ways of failing, as a search has them. */
export const FAILED_STATES = 'failed,expired';

const ENDED: readonly State[] = ['delivered', 'failed', 'expired'];

export function isEnded(state: State): boolean {
  return ENDED.includes(state);
}

/** In the place of a recipient that was erased. */
export const ERASED = 'erased';

/** What became of it, for whoever thinks of sending it again. */
export type Fate = 'open' | 'delivered' | 'unsure' | 'notTaken' | 'failed';

export interface MessageRow {
  readonly msgKey: string;
  readonly account: string;
  readonly to: string;
  readonly ref?: string;
  readonly groupKey?: string;
  readonly channels: readonly Channel[];
  readonly step: number;
  readonly state: State;
  readonly code: string | null;
  readonly carrier: string | null;
  readonly acceptedAt: string;
  readonly finishedAt: string | null;
  readonly fate: Fate;
  readonly resendOf?: string;
  readonly resentAs?: string;
}

/** Whether it can be sent again: it failed, and there is somebody to send it to. */
export function isResendable({ state, to }: Pick<MessageRow, 'state' | 'to'>): boolean {
  return (state === 'failed' || state === 'expired') && to !== ERASED;
}

/** Those that nobody sent again yet: sending twice is something to choose one by one. */
export function resendableIn(rows: readonly MessageRow[]): readonly MessageRow[] {
  return rows.filter(row => isResendable(row) && row.resentAs === undefined);
}

export interface MessageSearch {
  readonly key?: string;
  readonly to?: string;
  readonly ref?: string;
  readonly groupKey?: string;
  readonly account?: string;
  readonly channel?: string;
  readonly lastChannel?: string;
  readonly carrier?: string;
  readonly state?: string;
  readonly code?: string;
  readonly from?: string;
  readonly until?: string;
  readonly limit?: string;
}

export interface TimelineEntry {
  readonly at: string;
  readonly step?: number;
  readonly attempt?: number;
  readonly event: string;
  readonly carrier?: string;
  readonly code?: string;
  readonly why?: string;
  /** Of a step that was postponed: when it may go out. */
  readonly until?: string;
  /** One character for each part of a long text: `+` was delivered, `.` was not. */
  readonly parts?: string;
}

export interface Message {
  readonly msgKey: string;
  readonly account: string;
  readonly to: string;
  /** Whether number and texts are masked. */
  readonly masked: boolean;
  readonly ref?: string;
  readonly groupKey?: string;
  readonly flow: readonly Step[];
  /** Every step as the recipient gets it. */
  readonly rendered: readonly Step[];
  /** Set when nothing is left of its text; there is then no request to repeat. */
  readonly textRemovedAt?: string;
  readonly state: State;
  readonly step: number;
  readonly attempt: number;
  readonly fate: Fate;
  /** What to do about it; null unless it failed. */
  readonly advice: string | null;
  readonly acceptedAt: string;
  readonly timeline: readonly TimelineEntry[];
  readonly resendOf?: string;
  readonly resentAs: readonly string[];
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

export const findMessages = (search: MessageSearch) =>
  readList<MessageRow>('/messages', 'messages', { ...search });

export const readMessage = (msgKey: string) => read<Message>(pathOf('messages', msgKey));

/** In clear; the reason is in the audit log. */
export const revealMessage = (msgKey: string, reason: string) =>
  call<Message>('POST', pathOf('messages', msgKey, 'reveal'), { body: { reason } });

/** Parts of a file that are asked for. A spreadsheet takes a million rows. */
const MOST_PARTS = 50;

/** All that is found, as a file for spreadsheets; `isWhole` unless it was too much. */
export async function exportMessages(
  search: MessageSearch,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const parts: string[] = [];
  let cursor: string | null = null;
  do {
    const part: { readonly text: string; readonly next: string | null } = await callFile('/messages/export', {
      query: { ...search, ...(cursor !== null && { cursor }) },
    });
    // Each part has the names of the columns.
    parts.push(parts.length === 0 ? part.text : part.text.slice(part.text.indexOf('\n') + 1));
    cursor = part.next;
  } while (cursor !== null && parts.length < MOST_PARTS);
  return { text: parts.join(''), isWhole: cursor === null };
}
