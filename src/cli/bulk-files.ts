/** The files of a bulk send: a flow, a list of recipients, and next to the list a file with the result of each. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Destination, OmniSend } from '../../client/bongsu-client.ts';
import { formatCsvRow, parseCsv, writtenCell } from '../platform/csv.ts';
import { Failure, WrongUsage } from './failure.ts';

export interface RowResult {
  readonly to: string;
  readonly msgKey: string;
  readonly code: string;
}

const HEAD = ['to', 'msgKey', 'code'];

/** The flow: a list of entries, or an object with `messageFlow` or `messageForm`, `ref` and `paymentCode`. */
export function readFlow(file: string): Omit<OmniSend, 'destinations'> {
  let value: unknown;
  try {
    value = JSON.parse(readText(file));
  } catch (error) {
    if (error instanceof SyntaxError) throw new WrongUsage(`${file}: not JSON (${error.message})`);
    throw error;
  }
  if (Array.isArray(value)) return { messageFlow: value };
  if (typeof value !== 'object' || value === null) {
    throw new WrongUsage(`${file}: expected a list of flow entries, or an object with messageFlow`);
  }
  const { destinations, ...flow } = value as OmniSend;
  return flow;
}

/** Recipients: the column `to`, and one for each placeholder of the flow. */
export function readRecipients(file: string): Destination[] {
  const [head, ...rows] = parseCsv(readText(file));
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
        const [to = '', msgKey = '', code = ''] = row.map(writtenCell);
        return { to, msgKey, code };
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

function cellsOf({ to, msgKey, code }: RowResult): string[] {
  return [to, msgKey, code];
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new WrongUsage(`cannot read ${file} (${(error as Error).message})`);
  }
}
