/** Sums of the traffic. */
import { LATENCY_RANGES } from '../../platform/latency.ts';
import type {
  CarrierGrain,
  CarrierSums,
  RollupDimension,
  RollupKey,
  RollupRow,
} from '../port/rollup-store.ts';
import { type AnyRow, bigint, type ColumnsOf, integer, smallint, text } from './columns.ts';

/** How a grain is stored: its length in hours. */
export const HOURS_OF: Readonly<Record<CarrierGrain, number>> = { minute: 0, hour: 1, day: 24 };

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

/** Of the latency columns those from the first to the last that is not 0 in a row of sums; none if all are. */
export function latenciesIn(sums: AnyRow | undefined): readonly string[] {
  const isUsed = (name: string) => Number(sums?.[name] ?? 0) > 0;
  const first = LATENCY_COLUMNS.findIndex(isUsed);
  return first < 0 ? [] : LATENCY_COLUMNS.slice(first, LATENCY_COLUMNS.findLastIndex(isUsed) + 1);
}

/** One row for each combination of `by`, from rows with its columns and sums; several of one combination add up. */
export function rollupRowsOf(
  rows: readonly AnyRow[],
  columns: readonly string[],
  by: readonly (RollupDimension | 'at')[],
): RollupRow[] {
  const places = columns.map(name => ({ name, place: SUMMED_COLUMNS.indexOf(name) }));
  const found = new Map<string, { readonly first: AnyRow; readonly sums: number[] }>();
  for (const row of rows) {
    const key = by.map(name => row[name]).join('\t');
    let group = found.get(key);
    if (!group) {
      group = { first: row, sums: noSums() };
      found.set(key, group);
    }
    for (const { name, place } of places) group.sums[place] = (group.sums[place] ?? 0) + Number(row[name]);
  }
  return [...found.values()].map(({ first, sums }) => {
    const key = Object.fromEntries(
      by.map(name => [name, name === 'at' ? Number(first.at) : String(first[name])]),
    ) as Partial<RollupRow>;
    const [accepted = 0, ended = 0, messages = 0, delivered = 0, expired = 0, parts = 0] = sums;
    const latencies = sums.slice(COUNT_COLUMNS.length);
    return { ...key, accepted, ended, messages, delivered, expired, parts, latencies };
  });
}
