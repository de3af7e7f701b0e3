/** The address of the composer with messages that are to be replaced by an edited copy. */
import type { Message, MessageRow } from '../gateway/messages.ts';

/** As many as one call takes, and an address has room for. */
export const MOST_COPIED = 100;

export interface Copied {
  readonly msgKeys: readonly string[];
  readonly again: boolean;
}

export function copyAddress(rows: readonly (MessageRow | Message)[]): string {
  const again = rows.some(({ resentAs }) => resentAs !== undefined && resentAs.length > 0);
  const keys = rows.slice(0, MOST_COPIED).map(({ msgKey }) => msgKey);
  return `/compose?resend=${keys.join('.')}${again ? '&again=1' : ''}`;
}

/** What such an address says; undefined for any other. */
export function copiedIn(query: URLSearchParams): Copied | undefined {
  const keys = (query.get('resend') ?? '').split('.').filter(key => /^[0-9A-Za-z]{32}$/.test(key));
  return keys.length === 0
    ? undefined
    : { msgKeys: keys.slice(0, MOST_COPIED), again: query.get('again') === '1' };
}
