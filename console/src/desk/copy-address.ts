/** The address of the composer with messages that are to be replaced by an edited copy. */
import type { Message, MessageRow } from '../gateway/messages.ts';

/** As many as one call takes, and an address has room for. */
export const MOST_COPIED = 100;

export interface Copied {
  readonly msgKeys: readonly string[];
  readonly again: boolean;
  readonly delivered: boolean;
}

/** Whether it turned out to be delivered after it had ended. */
export function wasDeliveredLate({ timeline }: Pick<Message, 'timeline'>): boolean {
  return timeline.some(({ event }) => event === 'lateDelivery');
}

export function copyAddress(rows: readonly (MessageRow | Message)[]): string {
  const again = rows.some(({ resentAs }) => resentAs !== undefined && resentAs.length > 0);
  const keys = rows.slice(0, MOST_COPIED).map(({ msgKey }) => msgKey);
  // A row of a list does not tell: such a message is refused, and opened by itself.
  const delivered = rows.some(row => 'timeline' in row && wasDeliveredLate(row));
  return `/compose?resend=${keys.join('.')}${again ? '&again=1' : ''}${delivered ? '&delivered=1' : ''}`;
}

/** What such an address says; undefined for any other. */
export function copiedIn(query: URLSearchParams): Copied | undefined {
  const keys = (query.get('resend') ?? '').split('.').filter(key => /^[0-9A-Za-z]{32}$/.test(key));
  return keys.length === 0
    ? undefined
    : {
        msgKeys: keys.slice(0, MOST_COPIED),
        again: query.get('again') === '1',
        delivered: query.get('delivered') === '1',
      };
}
