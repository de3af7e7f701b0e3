/** Comma-separated values as spreadsheets write them: cells may be in quotes, quotes inside are doubled. */

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

/**
 * The rows of a file, one after the other, each a list of cells; empty lines are left out. Lines end with LF, CRLF or CR. Throws
 * `BrokenCsv` where a cell does not end: the rest of the file would be one person's.
 */
export function* csvRows(source: string): Generator<string[], void> {
  const text = source.replace(/^\ufeff/, '');
  let row: string[] = [];
  let at = 0;
  let line = 1;
  let lineStart = 0;
  while (at < text.length) {
    const quote = text[at] === '"' ? at : undefined;
    let cell = '';
    if (quote === undefined) {
      const start = at;
      while (at < text.length && !ENDS.has(text[at] ?? '')) at++;
      cell = text.slice(start, at);
    } else {
      const [from, opened] = [line, quote - lineStart + 1];
      const pieces: string[] = [];
      for (at++; ; at++) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new BrokenCsv(from, opened, 'the quote that begins here does not end');
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
        throw new BrokenCsv(line, at - lineStart + 1, 'after a quote that ends a cell, the cell goes on');
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
