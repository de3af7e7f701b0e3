/** The list of an account in the hands of operators: for the operator API, and for commands on the store. */
import { addAll, type OptOutView, optOutsFile, optOutView } from '../accept/opt-out-file.ts';
import { optOutPage, parseOptOutQuery } from '../accept/opt-out-query.ts';
import type { AddedOptOuts } from '../accept/opt-outs.ts';
import type { OptOut } from '../domain/delivery/opt-out.ts';
import { parseOptOuts } from '../domain/delivery/opt-out-request.ts';
import { Problem } from '../domain/request/problem.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { RecordChange } from './audit.ts';
import type { OperatorOptOuts } from './audited-tools.ts';
import { type Sight, shownOptOut } from './masking.ts';

export interface ShownOptOuts {
  readonly optOuts: readonly OptOutView[];
  readonly next: string | null;
}

export interface OptOutFile {
  readonly text: string;
  readonly rows: number;
  /** The cursor of the next part; null at the end. */
  readonly next: string | null;
}

/** The list of an account, as one operator sees and changes it. */
export interface OptOutDesk {
  list(account: string, query: Readonly<Record<string, unknown>>): Promise<ShownOptOuts | Problem>;
  /** Of a body `{ "optOuts": […] }`. */
  add(account: string, body: unknown): Promise<AddedOptOuts | Problem>;
  end(account: string, id: string): Promise<OptOutView | Problem>;
  importFile(account: string, text: string): Promise<AddedOptOuts | Problem>;
  exportFile(account: string, query: Readonly<Record<string, unknown>>): Promise<OptOutFile | Problem>;
}

export function createOptOutDesk(deps: {
  readonly optOuts: OperatorOptOuts;
  readonly record: RecordChange;
  readonly formatTime: FormatTime;
  readonly sight: Sight;
  /** The name of the operator. */
  readonly by: string;
}): OptOutDesk {
  const { optOuts, record, formatTime, sight, by } = deps;
  const view = (optOut: OptOut) => shownOptOut(optOutView(optOut, formatTime), sight);

  return {
    list: (account, query) => optOutPage(optOuts, account, query, view),
    async add(account, body) {
      const entries = parseOptOuts(body);
      return entries instanceof Problem ? entries : optOuts.add(account, entries, { way: 'operator', by });
    },
    async end(account, id) {
      const entry = /^\d{1,15}$/.test(id) ? Number(id) : 0;
      const ended = await optOuts.end(account, entry, { way: 'operator', by });
      return ended instanceof Problem ? ended : view(ended);
    },
    async importFile(account, text) {
      const entries = await optOuts.read(account, text);
      return entries instanceof Problem ? entries : addAll(optOuts, account, entries, { way: 'csv', by });
    },
    async exportFile(account, query) {
      const asked = parseOptOutQuery(query);
      if (asked instanceof Problem) return asked;
      const file = await optOutsFile(optOuts, account, asked.before, view);
      if (!(file instanceof Problem)) await record('optout.export', account, file.rows, sight === 'masked');
      return file;
    },
  };
}
