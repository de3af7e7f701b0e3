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

/** Rows with what is counted, and rows with latencies of some of them; both with the columns of `by`. */
export function rollupRowsOf(
  counted: readonly AnyRow[],
  timed: readonly AnyRow[],
  by: readonly (RollupDimension | 'at')[],
): RollupRow[] {
  const nameOf = (row: AnyRow) => by.map(name => row[name]).join('\t');
  const timedBy = new Map(timed.map(row => [nameOf(row), row]));
  return counted.map(row => {
    const key = Object.fromEntries(
      by.map(name => [name, name === 'at' ? Number(row.at) : String(row[name])]),
    ) as Partial<RollupRow>;
    const [accepted = 0, ended = 0, messages = 0, delivered = 0, expired = 0, parts = 0] = COUNT_COLUMNS.map(
      name => Number(row[name]),
    );
    const times = timedBy.get(nameOf(row));
    const latencies = LATENCY_COLUMNS.map(name => Number(times?.[name] ?? 0));
    return { ...key, accepted, ended, messages, delivered, expired, parts, latencies };
  });
}
