/** Comma-separated values as spreadsheets write them: cells are quoted where necessary, quotes inside are doubled. */

/** The rows of a file, each a list of cells; empty lines are left out. */
export function parseCsv(source: string): string[][] {
  const rows: string[][] = [];
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
    else if (character === ',') endCell();
    else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  endRow();
  return rows;

  function endCell(): void {
    row.push(cell);
    cell = '';
  }
  function endRow(): void {
    endCell();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
}

export function formatCsvRow(cells: readonly string[]): string {
  const written = cells.map(cell => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${written.join(',')}\n`;
}
