/** Rows of statistics as lines of a chart: every hour or day of the range has a point. */
import type { CarrierTraffic } from '../../../src/operations/traffic.ts';
import type { Range } from './period.ts';

export type Values = readonly (readonly (number | null)[])[];

interface Point {
  readonly at?: string | undefined;
}

/** Times in seconds, then a list for each reader. A stretch without a row is read as undefined. */
export function valuesOf<Row extends Point>(
  rows: readonly Row[],
  range: Range,
  seconds: number,
  readers: readonly ((row: Row | undefined) => number | null)[],
): Values {
  const found = new Map(rows.map(row => [Date.parse(row.at ?? '') / 1000, row]));
  const times = timesOf([...found.keys()], range, seconds);
  return [times, ...readers.map(read => times.map(time => read(found.get(time))))];
}

/**
 * The starts of all stretches. Days have their own lengths, so those that are known are kept, and the others put between
 * and around them.
 */
function timesOf(known: readonly number[], range: Range, seconds: number): number[] {
  const from = Date.parse(range.from) / 1000;
  const until = Date.parse(range.until) / 1000;
  const sorted = known.toSorted((a, b) => a - b);
  const times: number[] = [];
  const first = sorted[0] ?? from;
  // Where nothing is known at the start, backwards from the first that is.
  for (let time = first - seconds; time > from - seconds / 2 && sorted.length > 0; time -= seconds)
    times.unshift(time);
  for (const [index, time] of (sorted.length > 0 ? sorted : [from]).entries()) {
    const end = sorted[index + 1] ?? until;
    for (let next = time; next < end - (sorted[index + 1] === undefined ? 0 : seconds / 2); next += seconds) {
      times.push(next);
    }
  }
  return times;
}

/** What each carrier took a second, and the most of any stretch. */
export function loadOf({ buckets, submitted }: CarrierTraffic, seconds: number, range: Range) {
  const lengthSeconds = Math.max(1, (Date.parse(range.until) - Date.parse(range.from)) / 1000);
  const busiest = buckets.reduce((most, bucket) => Math.max(most, bucket.submitted), 0);
  return { average: submitted / lengthSeconds, peak: busiest / seconds };
}
