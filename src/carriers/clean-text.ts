/**
 * Text that a carrier gave us, on its way in: message ids, numbers, statuses. Characters that no database takes (NUL, half a
 * surrogate pair) and other control characters are removed, and the length is bounded.
 */

const LONGEST = 200;
/** In Unicode mode `\p{Cs}` is a surrogate without its other half. */
const NOT_TEXT = /[\p{Cc}\p{Cs}]/gu;

export function cleanText(text: string, longest = LONGEST): string {
  const clean = text.replace(NOT_TEXT, '');
  if (clean.length <= longest) return clean;
  // The cut may go through a pair.
  return clean.slice(0, longest).replace(NOT_TEXT, '');
}
