/** Failed messages that were chosen to be sent again. They stay chosen while others are loaded, not when the search changes. */
import { useEffect, useState } from 'preact/hooks';
import type { Pages } from '../answers/question.ts';
import { findMessages, type MessageRow, type MessageSearch, resendableIn } from '../gateway/messages.ts';

export const MOST_SELECTED = 1000;
const PAGE = '200';
/** A search for something rare may have many pages that are nearly empty. */
const MOST_PAGES = 30;

export interface Selection {
  readonly rows: ReadonlyMap<string, MessageRow>;
  readonly set: (rows: readonly MessageRow[]) => void;
  readonly toggle: (row: MessageRow) => void;
}

export function useSelection(search: string): Selection {
  const [rows, setRows] = useState<ReadonlyMap<string, MessageRow>>(new Map());
  useEffect(() => setRows(new Map()), [search]);
  return {
    rows,
    set: next => setRows(new Map(next.slice(0, MOST_SELECTED).map(row => [row.msgKey, row]))),
    toggle: row =>
      setRows(last => {
        const next = new Map(last);
        if (!next.delete(row.msgKey) && next.size < MOST_SELECTED) next.set(row.msgKey, row);
        return next;
      }),
  };
}

export async function findResendable(search: MessageSearch): Promise<readonly MessageRow[]> {
  const found: MessageRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < MOST_SELECTED; page++) {
    const { rows, next }: Pages<MessageRow> = await findMessages({ ...search, limit: PAGE }).page(
      undefined,
      cursor,
    );
    found.push(...resendableIn(rows));
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, MOST_SELECTED);
}
