/** Hands a text to the browser as a file. */

/** The browser reads it after the press has been handled. */
const READ_MS = 60_000;

export function saveFile(
  name: string,
  text: string,
  type: 'text/csv' | 'application/json' = 'text/csv',
): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}
