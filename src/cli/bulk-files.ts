/** The files of a bulk send: a flow, a list of recipients, and next to the list a file with the result of each. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Destination, OmniSend } from '../../client/bongsu-client.ts';
import { BrokenCsv, formatCsvRow, parseCsv, writtenCell } from '../platform/csv.ts';
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

const HEAD = ['to', 'msgKey', 'code', 'reason', 'run'];

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
  const [head, ...rows] = rowsOf(file);
  const names = head?.map(name => name.trim()) ?? [];
  const toColumn = names.indexOf('to');
  if (toColumn < 0) throw new WrongUsage(`${file}: the first line must name the columns, one of them "to"`);
  const repeated = names.find((name, column) => name !== '' && names.indexOf(name) < column);
  if (repeated !== undefined) throw new WrongUsage(`${file}: the first line has two columns "${repeated}"`);
  return rows.map((row, index) => {
    if (row.length !== names.length) {
      const place = `${file}, row ${index + 1} after the names`;
      throw new WrongUsage(`${place}: expected ${names.length} cells, one for each name (has ${row.length})`);
    }
    const words = names.flatMap((name, column) =>
      column === toColumn || name === '' ? [] : [[name, row[column] ?? ''] as const],
    );
    const to = row[toColumn]?.trim() ?? '';
    return words.length === 0 ? { to } : { to, replaceWords: Object.fromEntries(words) };
  });
}

function rowsOf(file: string, text = readTextFile(file)): string[][] {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof BrokenCsv) throw new WrongUsage(`${file}, ${error.message}`);
    throw error;
  }
}

/**
 * The results of a list, in its order, of one run after the other: a run is a message and a name, and each row says whose it is.
 * A row without a recipient says how long the list was when the run began, or went on. Requests end there, so rows that are
 * appended to the list later are in requests of their own.
 */
export class ResultsFile {
  readonly path: string;
  /** Results of this run. */
  readonly results: RowResult[];
  readonly #run: string;
  readonly #batchSize: number;
  /** How long the list was, each time. */
  readonly #lengths: number[];

  constructor(listFile: string, recipients: readonly Destination[], run: string, batchSize: number) {
    this.path = `${listFile.replace(/\.csv$/i, '')}.results.csv`;
    this.#run = run;
    this.#batchSize = batchSize;
    const { rows, isTorn } = this.#read();
    const own = rows.filter(row => row.run === run);
    this.#lengths = own.flatMap(({ to, reason }) => (to === '' ? [lengthIn(reason)] : []));
    const found = own.filter(({ to, code }) => to !== '' || code !== '');
    const whole = this.#endBefore(found.length);
    this.results = found.slice(0, whole);
    const stranger = this.results.findIndex(({ to }, index) => to !== recipients[index]?.to);
    if (stranger >= 0) {
      throw new Failure(
        `${this.path} does not belong to this list (row ${stranger + 1} differs): move it away to start over`,
      );
    }
    // A request whose results were written in part is repeated under its key.
    if (isTorn || whole < found.length) {
      const torn = new Set(found.slice(whole));
      this.#replace(rows.filter(row => !torn.has(row)));
    } else if (rows.length === 0) this.#replace([]);
    if (this.#lengths.includes(recipients.length)) return;
    this.#lengths.push(recipients.length);
    appendFileSync(this.path, formatCsvRow(['', '', '', `list of ${recipients.length} rows`, run]));
  }

  /** Where the request that holds this row ends. */
  endOf(row: number): number {
    const full = (Math.floor(row / this.#batchSize) + 1) * this.#batchSize;
    return Math.min(full, ...this.#lengths.filter(length => length > row));
  }

  /** The last end of a request among the first rows. */
  #endBefore(rows: number): number {
    const full = rows - (rows % this.#batchSize);
    return Math.max(full, ...this.#lengths.filter(length => length <= rows));
  }

  add(results: readonly RowResult[]): void {
    appendFileSync(this.path, results.map(result => formatCsvRow([...cellsOf(result), this.#run])).join(''));
    this.results.push(...results);
  }

  #replace(rows: readonly StoredRow[]): void {
    const text = [HEAD, ...rows.map(row => [...cellsOf(row), row.run])].map(formatCsvRow).join('');
    const fresh = `${this.path}.new`;
    writeFileSync(fresh, text);
    renameSync(fresh, this.path);
  }

  /** A line that a crash or a full disk left without its end is not read. */
  #read(): { readonly rows: readonly StoredRow[]; readonly isTorn: boolean } {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { rows: [], isTorn: false };
      throw error;
    }
    const end = text.lastIndexOf('\n') + 1;
    const [head, ...rows] = rowsOf(this.path, text.slice(0, end));
    if (head !== undefined && !head.includes('run')) {
      throw new Failure(
        `${this.path} was written by an older version, which did not record what was sent: move it away, and remove its rows from the list`,
      );
    }
    return {
      isTorn: end < text.length,
      rows: rows.map(row => {
        const [to = '', msgKey = '', code = '', reason = '', run = ''] = row.map(writtenCell);
        return { to, msgKey, code, reason, run };
      }),
    };
  }
}

interface StoredRow extends RowResult {
  readonly run: string;
}

function lengthIn(reason: string): number {
  const length = Number(/^list of (\d{1,9}) rows$/.exec(reason)?.[1]);
  return Number.isNaN(length) ? 0 : length;
}

function cellsOf({ to, msgKey, code, reason }: RowResult): string[] {
  return [to, msgKey, code, reason];
}
