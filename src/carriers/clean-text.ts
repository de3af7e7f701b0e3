/**
 * Text that a carrier sent, on its way in: message ids, numbers, statuses. Characters that no database takes (NUL, half a
 * surrogate pair) and other control characters are removed, and the length is bounded.
 */

const LONGEST = 200;
const LONGEST_WORDS = 150;
/** In Unicode mode `\p{Cs}` is a surrogate without its other half. */
const NOT_TEXT = /[\p{Cc}\p{Cs}]/gu;

export function cleanText(text: string, longest = LONGEST): string {
  const clean = text.replace(NOT_TEXT, '');
  if (clean.length <= longest) return clean;
  // The cut may go through a pair.
  return clean.slice(0, longest).replace(NOT_TEXT, '');
}

/** Seven digits and more, as people or programs write them. */
const NUMBER = /\+?\(?\d(?:[ ()-]{0,3}\d){6,}/g;

/** Words of a carrier for logs and timelines. They may repeat what was sent, so numbers of recipients are removed. */
export function shownWords(text: string): string {
  return cleanText(text, LONGEST_WORDS).replace(NUMBER, '…');
}
