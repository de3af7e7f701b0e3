/** Sums of the traffic. */
import type { TrafficDimension } from '../../domain/reports/dimensions.ts';
import { LATENCY_RANGES } from '../../platform/latency.ts';
import { utcDay } from '../../platform/zoned-time.ts';
import type { CarrierGrain, CarrierSums, RollupKey, RollupQuery, RollupRow } from '../port/rollup-store.ts';
import { bigint, type ColumnsOf, integer, smallint, text } from './columns.ts';

/** How a grain is stored: its length in hours. */
export const HOURS_OF: Readonly<Record<CarrierGrain, number>> = { minute: 0, hour: 1, day: 24 };

/** Earlier versions kept the sums of a day under the moment at which it began, up to twelve hours from its date. */
const HALF_DAY_MS = 12 * 3_600_000;

/** Where sums of stretches in a range are kept. */
export function storedRange(
  grain: CarrierGrain,
  from: number,
  until: number,
): { readonly hours: number; readonly from: number; readonly until: number } {
  const earlier = grain === 'day' ? HALF_DAY_MS : 0;
  return { hours: HOURS_OF[grain], from: from - earlier, until: until - earlier };
}

/** The start of an hour, or the date, whose sums are kept there. */
export function stretchOf(grain: CarrierGrain, at: number): number {
  return grain === 'day' ? utcDay(at + HALF_DAY_MS) : at;
}

export const LATENCY_COLUMNS: readonly string[] = Array.from(
  { length: LATENCY_RANGES },
  (_, range) => `lag${range}`,
);
export const COUNT_COLUMNS = ['accepted', 'ended', 'messages', 'delivered', 'expired', 'parts'] as const;

/** The columns that add up. */
export const SUMMED_COLUMNS: readonly string[] = [...COUNT_COLUMNS, ...LATENCY_COLUMNS];

/** One row of the table `rollup`. */
export interface StoredSums extends RollupKey {
  readonly hours: number;
  readonly at: number;
  /** In the order of `SUMMED_COLUMNS`. */
  readonly sums: number[];
}

/** The key of the table `rollup`. */
export const ROLLUP_KEY_COLUMNS: ColumnsOf<Omit<StoredSums, 'sums'>> = {
  hours: smallint('hours'),
  at: bigint('at'),
  account: text('account'),
  sender: text('sender'),
  channel: text('channel'),
  carrier: text('carrier'),
  code: text('code'),
};

export const CARRIER_COLUMNS: ColumnsOf<CarrierSums & { readonly hours: number }> = {
  hours: smallint('hours'),
  at: bigint('at'),
  carrier: text('carrier'),
  submitted: integer('submitted'),
  refused: integer('refused'),
  throttled: integer('throttled'),
};

export function noSums(): number[] {
  return SUMMED_COLUMNS.map(() => 0);
}

/** Counts in the order of their columns, which come first. */
export function countsOf(counts: Partial<Record<(typeof COUNT_COLUMNS)[number], number>>): number[] {
  return COUNT_COLUMNS.map(name => counts[name] ?? 0);
}

/** An answer of the database. */
export interface SummedRow {
  /** In the order of the columns that it was asked by. */
  readonly key: readonly unknown[];
  /** In the order of the columns that were asked for. */
  readonly sums: readonly number[];
}

/** Of the latency columns those from the first to the last that is not 0 in a row of all of them; none if all are. */
export function latenciesIn(rows: readonly SummedRow[]): readonly string[] {
  const isUsed = (_name: string, index: number) => rows.some(({ sums }) => (sums[index] ?? 0) > 0);
  const first = LATENCY_COLUMNS.findIndex(isUsed);
  return first < 0 ? [] : LATENCY_COLUMNS.slice(first, LATENCY_COLUMNS.findLastIndex(isUsed) + 1);
}

/** One row for each combination of `by`; several of one combination add up. Sums are counts, and then these latencies. */
export function rollupRowsOf(
  rows: readonly SummedRow[],
  latencies: readonly string[],
  { grain, by }: Pick<RollupQuery, 'grain' | 'by'>,
): RollupRow[] {
  const found = new Map<string, SummedRow>();
  const placeOfAt = by.indexOf('at');
  for (const { key: stored, sums } of rows) {
    const key = placeOfAt < 0 ? stored : stored.with(placeOfAt, stretchOf(grain, Number(stored[placeOfAt])));
    const name = key.join('\t');
    const before = found.get(name);
    found.set(name, { key, sums: before ? sums.map((sum, at) => sum + (before.sums[at] ?? 0)) : sums });
  }
  const [firstUsed = ''] = latencies;
  const before = LATENCY_COLUMNS.slice(0, Math.max(0, LATENCY_COLUMNS.indexOf(firstUsed))).map(() => 0);
  const after = LATENCY_COLUMNS.slice(before.length + latencies.length).map(() => 0);
  return [...found.values()].map(({ key, sums }) => {
    const named: { [Name in TrafficDimension]?: string } & { at?: number } = {};
    for (const [at, name] of by.entries()) {
      if (name === 'at') named.at = Number(key[at]);
      else named[name] = String(key[at]);
    }
    const [accepted = 0, ended = 0, messages = 0, delivered = 0, expired = 0, parts = 0] = sums;
    const ranges = [...before, ...sums.slice(COUNT_COLUMNS.length), ...after];
    return { ...named, accepted, ended, messages, delivered, expired, parts, latencies: ranges };
  });
}
