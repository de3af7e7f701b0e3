/** Tables for spreadsheets, made of what a page shows. A test compares the cells with those that the gateway writes. */

/** The byte order mark tells spreadsheets that it is UTF-8. */
const MARK = '\ufeff';

export function csvOf(rows: readonly (readonly (string | number | null)[])[]): string {
  return MARK + rows.map(row => `${row.map(cellOf).join(',')}\n`).join('');
}

/** What a spreadsheet takes for a formula, also in its wide forms. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]\d+$/;

/** A text that a spreadsheet would take for a formula is written as text; none divides cells by what it holds. */
function cellOf(value: string | number | null): string {
  const text = String(value ?? '');
  const isFormula = typeof value === 'string' && FORMULA.test(text) && !PLAIN_NUMBER.test(text);
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
}
