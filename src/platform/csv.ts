/** Comma-separated values as spreadsheets write them: cells may be in quotes, quotes inside are doubled. */

/** Spreadsheets take a file without it for one in the old encoding of the country. */
export const BYTE_ORDER_MARK = '\ufeff';

export function parseCsv(source: string): string[][] {
  return [...csvRows(source)];
}

/** What is wrong with a file, and where it begins: both are counted from one. */
export class BrokenCsv extends Error {
  override name = 'BrokenCsv';

  constructor(line: number, column: number, rule: string) {
    super(`line ${line}, column ${column}: ${rule}`);
  }
}

/** Of files of strangers: a row is read at once, however many cells it has. */
export interface CsvLimits {
  /** Of a row. */
  readonly mostCells: number;
  /** Characters, as they are written. */
  readonly longestCell: number;
}

const NO_LIMITS: CsvLimits = {
  mostCells: Number.POSITIVE_INFINITY,
  longestCell: Number.POSITIVE_INFINITY,
};

/**
 * The rows of a file, one after the other, each a list of cells; empty lines are left out. Lines end with LF, CRLF or CR. Throws
 * `BrokenCsv` where a cell does not end: the rest of the file would be one person's; and beyond the limits.
 */
export function* csvRows(source: string, limits = NO_LIMITS): Generator<string[], void> {
  const { mostCells, longestCell } = limits;
  const text = source.replace(/^\ufeff/, '');
  let row: string[] = [];
  let at = 0;
  let line = 1;
  let lineStart = 0;
  while (at < text.length) {
    const start = at;
    const quote = text[at] === '"' ? at : undefined;
    const column = start - lineStart + 1;
    if (row.length === mostCells) throw new BrokenCsv(line, column, `a row has at most ${mostCells} cells`);
    let cell = '';
    if (quote === undefined) {
      while (at < text.length && !ENDS.has(text[at] ?? '')) at++;
      cell = text.slice(start, at);
      if (cell.length > longestCell) {
        throw new BrokenCsv(line, column, `a cell has at most ${longestCell} characters`);
      }
    } else {
      const from = line;
      const pieces: string[] = [];
      for (at++; ; at++) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new BrokenCsv(from, column, 'the quote that opens here is never closed');
        if (end - quote > longestCell) {
          throw new BrokenCsv(from, column, `a cell has at most ${longestCell} characters`);
        }
        const piece = text.slice(at, end);
        for (const { index, 0: whole } of piece.matchAll(LINE_END)) {
          line++;
          lineStart = at + index + whole.length;
        }
        pieces.push(piece);
        at = end + 1;
        if (text[at] !== '"') break;
      }
      cell = pieces.join('"');
      if (at < text.length && !ENDS.has(text[at] ?? '')) {
        throw new BrokenCsv(line, at - lineStart + 1, 'text follows the closing quote of a cell');
      }
    }
    row.push(cell);
    const separator = text[at];
    if (separator === ',') {
      at++;
      // The last cell of the file may be empty.
      if (at === text.length) row.push('');
      continue;
    }
    at += separator === '\r' && text[at + 1] === '\n' ? 2 : 1;
    line++;
    lineStart = at;
    if (!isEmpty(row)) yield row;
    row = [];
  }
  if (row.length > 0 && !isEmpty(row)) yield row;
}

const ENDS: ReadonlySet<string> = new Set([',', '\r', '\n']);
const LINE_END = /\r\n|\r|\n/g;

function isEmpty(row: readonly string[]): boolean {
  return row.length === 1 && row[0] === '';
}

/**
 * What a spreadsheet takes for a formula by its first character, which may call programs or send cells away. The wide forms
 * count as the narrow ones in East Asian settings. Quotes before it are counted in, so that reading can take off exactly
 * the one that writing put there.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** A number with its sign, such as an international phone number, is its own value. */
const PLAIN_NUMBER = /^[+-]\d+$/;

/**
 * Cells may come from others, so none of them is left to begin a formula: a quote before it makes it text. All are in quotes,
 * because where a spreadsheet divides cells by semicolons, a formula could begin after one.
 */
export function formatCsvRow(cells: readonly string[]): string {
  const written = cells.map(cell => {
    const text = FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
    return `"${text.replaceAll('"', '""')}"`;
  });
  return `${written.join(',')}\n`;
}

/** A cell that `formatCsvRow` wrote, as it was before. */
export function writtenCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
