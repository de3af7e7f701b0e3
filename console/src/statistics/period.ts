/** The period that statistics are of: days of the gateway, or any range. */
import type { TrafficUnit } from '../../../src/operations/traffic.ts';
import { fromLocalInput, localOf } from '../times.ts';

export interface Range {
  readonly from: string;
  readonly until: string;
}

const PERIODS = ['today', 'yesterday', 'week', 'month', 'custom'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** By hour a chart of more days cannot be read. */
const HOURLY_MS = 4 * DAY_MS;

export function periodNamed(name: string | null): Period {
  return PERIODS.find(period => period === name) ?? 'today';
}

/** `zone` is the gateway's: its days are the ones that are counted. */
export function rangeOf(period: Period, custom: Range, now: number, zone: string): Range {
  const dayAgo = (days: number) => startOfDay(now - days * DAY_MS, zone);
  // Whole minutes: the same question a moment later is the same address.
  const until = new Date(Math.ceil(now / 60_000) * 60_000).toISOString();
  switch (period) {
    case 'today':
      return { from: dayAgo(0), until };
    case 'yesterday':
      return { from: dayAgo(1), until: dayAgo(0) };
    case 'week':
      return { from: dayAgo(6), until };
    case 'month':
      return { from: dayAgo(29), until };
    case 'custom':
      return { from: custom.from || dayAgo(0), until: custom.until || until };
  }
}

export function lengthMs({ from, until }: Range): number {
  return Date.parse(until) - Date.parse(from);
}

export function usualUnit(range: Range): TrafficUnit {
  return lengthMs(range) <= HOURLY_MS ? 'hour' : 'day';
}

function startOfDay(at: number, zone: string): string {
  return fromLocalInput(`${localOf(at, zone).slice(0, 10)}T00:00`, zone);
}
