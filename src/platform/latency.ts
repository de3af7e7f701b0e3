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
