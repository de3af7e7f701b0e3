/** Comma-separated values as spreadsheets write them: cells are quoted where necessary, quotes inside are doubled. */

export function parseCsv(source: string): string[][] {
  return [...csvRows(source)];
}

/** The rows of a file, one after the other, each a list of cells; empty lines are left out. */
export function* csvRows(source: string): Generator<string[], void> {
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const text = source.replace(/^\ufeff/, '');
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') cell += text[++index];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === ',') {
      row.push(cell);
      cell = '';
    } else if (character === '\n') {
      row.push(cell);
      if (!isEmpty(row)) yield row;
      row = [];
      cell = '';
    } else if (character !== '\r') cell += character;
  }
  row.push(cell);
  if (!isEmpty(row)) yield row;
}

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

/** Cells may come from others, so none of them is left to begin a formula: a quote before it makes it text. */
export function formatCsvRow(cells: readonly string[]): string {
  const written = cells.map(cell => {
    const text = FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${written.join(',')}\n`;
}

/** A cell that `formatCsvRow` wrote, as it was before. */
export function writtenCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
