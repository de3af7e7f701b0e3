/**
 * Whether the time of a function grows with its input and not faster. No time is compared with a number: only with the time
 * that a plain walk over the same text takes, and with the time of the same function on half of the text.
 */

/** What takes no longer than so many walks over the text is not looked at further. */
const WALKS = 30;
/** Linear work takes twice as long on twice the text, quadratic work four times. */
const MOST_GROWTH = 2.8;
/** All of these doublings must show it: where a fast path ends, the time jumps once. */
const DOUBLINGS = [1 / 4, 1 / 2, 1];
const REPEATS = 3;
/** A measurement that another process disturbed is repeated. */
const ATTEMPTS = 4;

export type Run = (text: string) => unknown;

/** Undefined where the time is linear in the length; otherwise the least by which a doubling of the text multiplied it. */
export function excessiveGrowth(
  textOf: (length: number) => string,
  length: number,
  run: Run,
): number | undefined {
  const whole = textOf(length);
  if (bestTime(run, whole) <= WALKS * bestTime(walk, whole)) return undefined;
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (bestTime(run, whole) <= WALKS * bestTime(walk, whole)) return undefined;
    for (const part of DOUBLINGS) {
      const half = bestTime(run, textOf(length * part));
      const doubled = bestTime(run, textOf(length * part * 2));
      growth = Math.min(growth, doubled / half);
      if (growth <= MOST_GROWTH) return undefined;
    }
  }
  return growth;
}

function bestTime(run: Run, text: string): number {
  return Math.min(...Array.from({ length: REPEATS }, () => timeOf(run, text)));
}

function timeOf(run: Run, text: string): number {
  const start = performance.now();
  drain(run(text));
  return performance.now() - start;
}

/** A generator has done its work only when it was walked through. */
function drain(result: unknown): void {
  if (typeof result !== 'object' || result === null || !(Symbol.iterator in result)) return;
  for (const _ of result as Iterable<unknown>);
}

function walk(text: string): number {
  let sum = 0;
  for (const character of text) sum += character.length;
  return sum;
}
