/** Characters as a reader counts them: one Hangul syllable is one, so is one emoji of several code points. */

/** Made for the first text that needs it: it takes 15 ms, and every start would wait for them. */
let graphemes: Intl.Segmenter | undefined;

/** A text with this many times more code units than the limit is certainly too long, and need not be segmented. */
export const HOPELESS_FACTOR = 64;
/** Beyond this many times the limit, nobody needs to know how many characters there are. */
const COUNTED_FACTOR = 4;
/** Code units that are segmented in a few milliseconds. */
const ALWAYS_COUNTED = 10_000;

/**
 * The number of characters in `text`. Counting stops early, at a lower bound, once the text is far longer
 * than `limit`, so that a hostile body cannot make us segment a megabyte.
 */
export function countCharacters(text: string, limit: number = Number.POSITIVE_INFINITY): number {
  if (text.length > limit * HOPELESS_FACTOR) return limit * COUNTED_FACTOR + 1;
  graphemes ??= new Intl.Segmenter('ko', { granularity: 'grapheme' });
  let count = 0;
  for (const _ of graphemes.segment(text)) if (++count > limit * COUNTED_FACTOR) break;
  return count;
}

/**
 * How long texts that are too long together are, as the end of `was …`. What would take too long to count has no exact
 * number.
 */
export function countSaid(limit: number, ...texts: readonly string[]): string {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const most = units <= ALWAYS_COUNTED ? Number.POSITIVE_INFINITY : limit;
  const count = texts.reduce((sum, text) => sum + countCharacters(text, most), 0);
  return count > most * COUNTED_FACTOR ? `more than ${most * COUNTED_FACTOR}` : String(count);
}

/** Whether `text` has at most `limit` characters; for most texts the length alone decides. */
export function fitsCharacters(text: string, limit: number): boolean {
  return text.length <= limit || countCharacters(text, limit) <= limit;
}
