/** Many messages that are ended at once: those chosen, or those of a search, of which the number is shown first. */
import { call } from './call.ts';
import type { MessageRow, MessageSearch, State } from './messages.ts';

export type MessageOrder =
  | { readonly msgKeys: readonly string[] }
  /** Without `most` they are counted. */
  | { readonly filters: MessageSearch; readonly most?: number };

export interface Ordered {
  /** Messages that could be ended; only where none was. */
  readonly count: number;
  readonly ended: number;
  /** Ended, or in another state, before. */
  readonly tooLate: number;
  /** There may be more that match the search. */
  readonly isMore: boolean;
}

/** What a carrier has told of messages. */
export interface Told {
  readonly outcome: 'delivered' | 'failed';
  readonly code?: string;
  readonly reason: string;
}

interface Answer {
  readonly tooLate: number;
  readonly isMore: boolean;
}

const WAITING: readonly State[] = ['queued', 'retrying'];

/** Whether it can still be cancelled, as far as is known. */
export function isCancellable({ state }: Pick<MessageRow, 'state'>): boolean {
  return WAITING.includes(state);
}

/** Whether it can be settled by hand: one that was taken, only where the search asks for such. */
export function isSettleable({ state }: Pick<MessageRow, 'state'>, search: MessageSearch): boolean {
  return state === 'unknown' || (state === 'submitted' && search.state === 'submitted');
}

export async function cancelMessages(order: MessageOrder): Promise<Ordered> {
  const { cancellable, cancelled, ...rest } = await call<Answer & { cancellable: number; cancelled: number }>(
    'POST',
    '/messages/cancel',
    { body: bodyOf(order) },
  );
  return { count: cancellable, ended: cancelled, ...rest };
}

/** Without what was told they are counted. */
export async function settleMessages(order: MessageOrder, told?: Told): Promise<Ordered> {
  const { settleable, settled, ...rest } = await call<Answer & { settleable: number; settled: number }>(
    'POST',
    '/messages/settle',
    { body: { ...bodyOf(order), ...told } },
  );
  return { count: settleable, ended: settled, ...rest };
}

function bodyOf(order: MessageOrder): object {
  if ('msgKeys' in order) return order;
  const given = Object.entries(order.filters).filter(([, value]) => value !== '');
  return { ...order, filters: Object.fromEntries(given) };
}
