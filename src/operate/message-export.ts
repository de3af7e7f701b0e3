/** Found messages as a file for spreadsheets, a part at a time. Numbers are masked as they are on the page. */
import { Problem } from '../domain/request/problem.ts';
import type { Sight } from '../operations/shapes.ts';
import { BYTE_ORDER_MARK, formatCsvRow } from '../platform/csv.ts';
import type { Filters, MessageRow, Messages } from './messages.ts';

/** Rows of one part, and searches that it makes: a search for something rare may find nothing for a long time. */
const MOST_ROWS = 10_000;
const MOST_SEARCHES = 120;
const PAGE = 100;

const COLUMNS: Readonly<Record<string, (row: MessageRow) => string | null | undefined>> = {
  msgKey: row => row.msgKey,
  account: row => row.account,
  to: row => row.to,
  ref: row => row.ref,
  channels: row => row.channels.join(' > '),
  state: row => row.state,
  code: row => row.code,
  carrier: row => row.carrier,
  acceptedAt: row => row.acceptedAt,
  finishedAt: row => row.finishedAt,
  resendOf: row => row.resendOf,
  resentAs: row => row.resentAs,
  groupKey: row => row.groupKey,
};

export interface MessageExport {
  readonly text: string;
  readonly rows: number;
  /** The cursor of the next part; null at the end. */
  readonly next: string | null;
}

export async function exportMessages(
  messages: Pick<Messages, 'find'>,
  filters: Filters,
  sight: Sight,
  signal: AbortSignal,
): Promise<MessageExport | Problem> {
  const lines = [BYTE_ORDER_MARK + formatCsvRow(Object.keys(COLUMNS))];
  let next: string | null = null;
  for (let search = 0; search < MOST_SEARCHES && lines.length <= MOST_ROWS; search++) {
    if (signal.aborted)
      return new Problem(
        'A920',
        'The work was stopped: the gateway is stopping, or the client has disconnected',
      );
    const page = await messages.find(next === null ? filters : { ...filters, cursor: next }, PAGE, sight);
    if (page instanceof Problem) return page;
    for (const row of page.messages) {
      lines.push(formatCsvRow(Object.values(COLUMNS).map(cell => cell(row) ?? '')));
    }
    next = page.next;
    if (next === null) break;
  }
  return { text: lines.join(''), rows: lines.length - 1, next };
}
