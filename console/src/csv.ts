/** Tables for spreadsheets, made of what a page shows. */

/** The byte order mark tells spreadsheets that it is UTF-8. */
const MARK = '\ufeff';

export function csvOf(rows: readonly (readonly (string | number | null)[])[]): string {
  return MARK + rows.map(row => `${row.map(cellOf).join(',')}\r\n`).join('');
}

/** A text that a spreadsheet would take for a formula is written as text. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
