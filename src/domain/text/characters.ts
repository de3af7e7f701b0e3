/** Characters as a reader counts them: one Hangul syllable is one, so is one emoji of several code points. */

const graphemes = new Intl.Segmenter('ko', { granularity: 'grapheme' });

/** Text that many times longer than a limit is certainly over it; it is not worth segmenting to the end. */
const HOPELESS_FACTOR = 64;

/**
 * The number of characters in `text`. Counting stops early, at a lower bound, once the text is hopelessly longer
 * than `limit`, so that a hostile body cannot make us segment a megabyte.
 */
export function countCharacters(text: string, limit: number = Number.POSITIVE_INFINITY): number {
  if (text.length > limit * HOPELESS_FACTOR) {
    return Math.max(limit + 1, Math.floor(text.length / HOPELESS_FACTOR));
  }
  let count = 0;
  for (const _ of graphemes.segment(text)) count++;
  return count;
}

/** Whether `text` has at most `limit` characters; most text is settled by its length alone. */
export function fitsCharacters(text: string, limit: number): boolean {
  return text.length <= limit || countCharacters(text, limit) <= limit;
}
