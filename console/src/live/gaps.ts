/** Measurements as columns of a chart, which shows nothing where nothing was measured. */

export interface Measured {
  /** Seconds. */
  readonly at: number;
  /** How long it was measured, in seconds. */
  readonly seconds: number;
}

/** Times, then a list of values for each reader. Between two that are further apart than they are long is an empty point. */
export function columnsOf<T extends Measured>(
  list: readonly T[],
  readers: readonly ((measured: T) => number | null)[],
): (number | null)[][] {
  const points: { readonly at: number; readonly of: T | undefined }[] = [];
  for (const [index, measured] of list.entries()) {
    points.push({ at: measured.at, of: measured });
    const next = list[index + 1];
    if (!next || !isGap(measured, next)) continue;
    points.push({ at: measured.at + measured.seconds, of: undefined });
  }
  const valuesOf = (read: (measured: T) => number | null) => points.map(({ of }) => (of ? read(of) : null));
  return [points.map(({ at }) => at), ...readers.map(valuesOf)];
}

/** Figures come once a second, give or take. */
function isGap(measured: Measured, next: Measured): boolean {
  return next.at - measured.at > Math.max(measured.seconds, next.seconds) * 1.5 + 1.5;
}
