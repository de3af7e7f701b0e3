/** Keywords at the beginning of texts that people send. */

/** In the place of a keyword: everything that no keyword of the number takes. */
export const WHOLE_NUMBER = '*';

/**
 * A keyword has at most 40 characters; decomposed, and with signs around it, it may be longer. What stands behind this many
 * is not read: sorting combining marks takes time that grows with the square of the word.
 */
export const LONGEST_WORD = 200;

const BETWEEN_SIGNS = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** Keywords are compared without case, width and the signs around them: `Stop!` is `STOP`. */
export function normalKeyword(text: string): string {
  const plain = text.slice(0, LONGEST_WORD).normalize('NFKC').toUpperCase();
  return BETWEEN_SIGNS.exec(plain)?.[0] ?? '';
}

/** The first word of a text, as keywords are compared. */
export function keywordOf(text: string): string {
  const start = text.search(/\S/);
  return start < 0 ? '' : normalKeyword(text.slice(start, start + LONGEST_WORD).split(/\s/, 1)[0] ?? '');
}
