import { call } from './call.ts';
import type { MessageRow, MessageSearch, State } from './messages.ts';

export interface Cancelled {
  /** Messages that could be cancelled; only where none was. */
  readonly cancellable: number;
  readonly cancelled: number;
  /** Handed to a carrier, or ended, before. */
  readonly tooLate: number;
  /** There may be more that match the search. */
  readonly isMore: boolean;
}

const WAITING: readonly State[] = ['queued', 'retrying'];

/** Whether it can still be cancelled, as far as is known. */
export function isCancellable({ state }: Pick<MessageRow, 'state'>): boolean {
  return WAITING.includes(state);
}

export const cancelMessages = (msgKeys: readonly string[]) =>
  call<Cancelled>('POST', '/messages/cancel', { body: { msgKeys } });

/** Of a search; without `most` they are counted. */
export const cancelFound = (search: MessageSearch, most?: number) =>
  call<Cancelled>('POST', '/messages/cancel', {
    body: {
      filters: Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')),
      ...(most !== undefined && { most }),
    },
  });
