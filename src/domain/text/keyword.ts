/** Keywords at the beginning of texts that people send. */

/** In the place of a keyword: everything that no keyword of the number takes. */
export const WHOLE_NUMBER = '*';

/** Keywords are compared without case, width and the signs around them: `Stop!` is `STOP`. */
export function normalKeyword(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** The first word of a text, as keywords are compared. */
export function keywordOf(text: string): string {
  return normalKeyword(text.trimStart().split(/\s/, 1)[0] ?? '');
}
