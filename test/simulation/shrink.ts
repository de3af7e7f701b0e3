/**
 * Finds few steps of a failing seed that still break its rule. Takes out ever smaller pieces, from the end on, and keeps each
 * world that still fails. Every step draws from a stream of its own, so the others stay as they were.
 */

/** A long search is worth less than an answer. */
const MOST_TRIES = 500;

export async function shrink(
  steps: readonly number[],
  stillFails: (steps: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let left = steps;
  let tries = 0;
  for (let size = Math.ceil(left.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let end = left.length; end > 0 && tries < MOST_TRIES; end -= size) {
      const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
      tries++;
      if (await stillFails(without)) left = without;
    }
  }
  return left;
}
