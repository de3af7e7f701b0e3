/** Durations as people write them: `90s`, `25h`, and ranges such as `50-300ms`. */

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration in the source. */
export type DurationText = `${number}${keyof typeof UNIT_MS}`;

/** Milliseconds, or undefined when the text is no duration. */
export function parseDurationMs(text: string): number | undefined {
  return /^\d{1,9}(ms|s|m|h|d)$/.test(text) ? durationMs(text as DurationText) : undefined;
}

export function durationMs(text: DurationText): number {
  const [, digits, unit] = /^(\d+)(\w+)$/.exec(text) ?? [];
  return Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

export interface DurationRange {
  readonly minMs: number;
  readonly maxMs: number;
}

/** `0`, or a range in milliseconds. */
export function parseDurationRange(text: string): DurationRange | undefined {
  if (text === '0') return { minMs: 0, maxMs: 0 };
  const match = /^(\d{1,6})-(\d{1,6})ms$/.exec(text);
  if (!match) return undefined;
  const range = { minMs: Number(match[1]), maxMs: Number(match[2]) };
  return range.minMs <= range.maxMs ? range : undefined;
}
