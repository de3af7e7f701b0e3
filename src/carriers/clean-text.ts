/**
 * Text that a carrier wrote, such as ids, codes and numbers, made fit to be kept and shown. PostgreSQL takes no NUL and no
 * half of a character, and one such text would hold up everything that is written together with it.
 */
const LONGEST_TEXT = 200;

export function cleanText(text: string): string {
  return text
    .replace(/\p{Cc}/gu, '')
    .slice(0, LONGEST_TEXT)
    .toWellFormed();
}
