/** Opt-outs in a file of an account. */
import type { NewOptOut } from '../domain/delivery/opt-out.ts';
import { parseOptOut } from '../domain/delivery/opt-out-request.ts';
import { Problem } from '../domain/request/problem.ts';
import { BrokenCsv, type CsvLimits, csvRows, writtenCell } from '../platform/csv.ts';

/** A megabyte of numbers takes a quarter of a second to read. */
const CELLS_AT_ONCE = 1000;
const LIMITS: CsvLimits = { mostCells: 100, longestCell: 1000 };
const WITHOUT_NAMES = ['to', 'sender', 'covers'];
const READ_NAMES = [...WITHOUT_NAMES, 'ended'];

/**
 * Reads some rows of the file each time, until it meets one that is wrong. The first may name the columns (`to`, and maybe
 * `sender` and `covers`); otherwise there are numbers alone. Rows of an exported file that have ended are left out.
 */
export function* readOptOutFile(text: string): Generator<readonly NewOptOut[] | Problem, void> {
  let entries: NewOptOut[] = [];
  let names: readonly string[] = WITHOUT_NAMES;
  let number = 0;
  let cells = 0;
  const rows = csvRows(text, LIMITS);
  for (;;) {
    const row = nextOf(rows);
    if (row instanceof Problem) {
      yield row;
      return;
    }
    if (row === undefined) break;
    number++;
    if (number === 1 && row.some(cell => cell.trim() === 'to')) {
      names = row.map(cell => cell.trim());
      const repeated = READ_NAMES.find(name => names.indexOf(name) !== names.lastIndexOf(name));
      if (repeated === undefined) continue;
      yield new Problem('A300', `Row 1: "${repeated}" is given more than once`);
      return;
    }
    const cellOf = (name: string) => {
      const index = names.indexOf(name);
      const cell = index < 0 ? '' : writtenCell(row[index] ?? '').trim();
      return cell === '' ? undefined : cell;
    };
    if (cellOf('ended') === undefined) {
      const entry = parseOptOut({ to: cellOf('to'), sender: cellOf('sender'), covers: cellOf('covers') }, '');
      if (entry instanceof Problem) {
        yield new Problem(entry.code, `Row ${number}: ${entry.result}`);
        return;
      }
      entries.push(entry);
    }
    cells += row.length;
    if (cells >= CELLS_AT_ONCE) {
      yield entries;
      entries = [];
      cells = 0;
    }
  }
  yield entries;
}

/** Undefined at the end. */
function nextOf(rows: Generator<string[], void>): string[] | Problem | undefined {
  try {
    const { done, value } = rows.next();
    return done ? undefined : value;
  } catch (error) {
    if (error instanceof BrokenCsv) return new Problem('A300', `The file is not CSV: ${error.message}`);
    throw error;
  }
}
