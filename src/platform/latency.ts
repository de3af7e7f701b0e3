/** Latencies counted in steps of a fifth: few numbers, and any percentile within ten percent. */

const STEPS_PER_DOUBLING = 4;

/** The step that a latency falls into. */
export function latencyStep(ms: number): number {
  return ms <= 1 ? 0 : Math.round(Math.log2(ms) * STEPS_PER_DOUBLING);
}

/** The latency below which this share of the counted ones lie; null if there are none. */
export function percentileMs(counts: ReadonlyMap<number, number>, share: number): number | null {
  let total = 0;
  for (const count of counts.values()) total += count;
  if (total === 0) return null;
  let seen = 0;
  for (const [step, count] of [...counts].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= share * total) return Math.round(2 ** (step / STEPS_PER_DOUBLING));
  }
  return null;
}

/** The same more coarsely, in a fixed number of ranges, where counts are stored: these are their upper ends. */
const RANGE_ENDS_MS: readonly number[] = [
  ...[50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000],
  ...[60_000, 120_000, 300_000, 900_000, 3_600_000, 14_400_000, 86_400_000],
];

/** The last range has no end. */
export const LATENCY_RANGES = RANGE_ENDS_MS.length + 1;

export function latencyRange(ms: number): number {
  const range = RANGE_ENDS_MS.findIndex(end => ms <= end);
  return range < 0 ? LATENCY_RANGES - 1 : range;
}

/** As `percentileMs`, of counts by range: within a range the counted are taken to lie evenly. */
export function percentileOfRangesMs(counts: readonly number[], share: number): number | null {
  let total = 0;
  for (const count of counts) total += count;
  if (total === 0) return null;
  let seen = 0;
  for (let range = 0; range < counts.length; range++) {
    const count = counts[range] ?? 0;
    if (count > 0 && seen + count >= share * total) {
      const start = RANGE_ENDS_MS[range - 1] ?? 0;
      const end = RANGE_ENDS_MS[range] ?? start;
      return Math.round(start + ((share * total - seen) / count) * (end - start));
    }
    seen += count;
  }
  return null;
}
