/** The files of a bulk send: a flow, a list of recipients, and next to the list a file with the result of each. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Destination, OmniSend } from '../../client/bongsu-client.ts';
import { formatCsvRow, parseCsv, writtenCell } from '../platform/csv.ts';
import { Failure, WrongUsage } from './failure.ts';
import { readJsonFile, readTextFile } from './text-file.ts';

export interface RowResult {
  readonly to: string;
  readonly msgKey: string;
  readonly code: string;
  /** Why it was refused, or that it is a replay; empty where all is well. */
  readonly reason: string;
}

/** The gateway gave its first answer again: the row was sent before, under the same key. */
export const REPLAY = 'replay: sent before, not sent again';

const HEAD = ['to', 'msgKey', 'code', 'reason'];

/** The flow: a list of entries, or an object with `messageFlow` or `messageForm`, `ref` and `paymentCode`. */
export function readFlow(file: string): Omit<OmniSend, 'destinations'> {
  const value = readJsonFile(file);
  if (Array.isArray(value)) return { messageFlow: value };
  if (typeof value !== 'object' || value === null) {
    throw new WrongUsage(`${file}: expected a list of flow entries, or an object with messageFlow`);
  }
  const { destinations, ...flow } = value as OmniSend;
  return flow;
}

/** Recipients: the column `to`, and one for each placeholder of the flow. */
export function readRecipients(file: string): Destination[] {
  const [head, ...rows] = parseCsv(readTextFile(file));
  const names = head?.map(name => name.trim()) ?? [];
  const toColumn = names.indexOf('to');
  if (toColumn < 0) throw new WrongUsage(`${file}: the first line must name the columns, one of them "to"`);
  return rows.map(row => {
    const words = names.flatMap((name, column) =>
      column === toColumn || name === '' ? [] : [[name, row[column] ?? ''] as const],
    );
    const to = row[toColumn]?.trim() ?? '';
    return words.length === 0 ? { to } : { to, replaceWords: Object.fromEntries(words) };
  });
}

/** The results so far, in the order of the list. */
export class ResultsFile {
  readonly path: string;
  readonly results: RowResult[];

  /**
   * Results of whole batches only: a batch whose results were written in part is sent again under its idempotency
   * key.
   */
  constructor(listFile: string, recipients: readonly Destination[], batchSize: number) {
    this.path = `${listFile.replace(/\.csv$/i, '')}.results.csv`;
    const found = this.#read();
    const isWhole = found.length === recipients.length;
    this.results = isWhole ? found : found.slice(0, found.length - (found.length % batchSize));
    const stranger = this.results.findIndex(({ to }, index) => to !== recipients[index]?.to);
    if (stranger >= 0) {
      throw new Failure(
        `${this.path} does not belong to this list (row ${stranger + 1} differs): move it away to start over`,
      );
    }
    writeFileSync(this.path, [HEAD, ...this.results.map(cellsOf)].map(formatCsvRow).join(''));
  }

  add(results: readonly RowResult[]): void {
    appendFileSync(this.path, results.map(result => formatCsvRow(cellsOf(result))).join(''));
    this.results.push(...results);
  }

  #read(): RowResult[] {
    try {
      const [, ...rows] = parseCsv(readFileSync(this.path, 'utf8'));
      return rows.map(row => {
        const [to = '', msgKey = '', code = '', reason = ''] = row.map(writtenCell);
        return { to, msgKey, code, reason };
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

function cellsOf({ to, msgKey, code, reason }: RowResult): string[] {
  return [to, msgKey, code, reason];
}
