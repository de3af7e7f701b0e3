import { readList } from '../answers/question.ts';
import { call, callFile, pathOf } from './call.ts';

export interface OptOut {
  readonly id: string;
  readonly to: string;
  readonly sender: string;
  readonly covers: 'advertisements' | 'all';
  readonly source: string | null;
  readonly since: string;
  readonly sinceWay: string;
  readonly sinceBy: string;
  readonly ended: string | null;
}

interface Added {
  readonly added: number;
  readonly known: number;
}

const listOf = (account: string) => pathOf('accounts', account, 'optouts');

export const listOptOuts = (
  account: string,
  query: { readonly to: string; readonly state: 'current' | 'all' },
) => readList<OptOut>(listOf(account), 'optOuts', query);

export const addOptOuts = (
  account: string,
  optOuts: readonly { readonly to: string; readonly sender?: string; readonly covers: OptOut['covers'] }[],
) => call<Added>('POST', listOf(account), { body: { optOuts } });

export const endOptOut = (account: string, id: string) =>
  call<OptOut>('DELETE', pathOf('accounts', account, 'optouts', id));

export const importOptOuts = (account: string, file: Blob) =>
  call<Added>('POST', `${listOf(account)}/csv`, { body: new Blob([file], { type: 'text/csv' }) });

/** The whole list as a file for spreadsheets. */
export async function exportOptOuts(account: string): Promise<string> {
  let text = '';
  let cursor: string | null = null;
  do {
    const query = cursor === null ? {} : { cursor };
    const part: { readonly text: string; readonly next: string | null } = await callFile(
      `${listOf(account)}/csv`,
      { query },
    );
    // Each part has the names of the columns.
    text += text === '' ? part.text : part.text.slice(part.text.indexOf('\n') + 1);
    cursor = part.next;
  } while (cursor !== null);
  return text;
}
