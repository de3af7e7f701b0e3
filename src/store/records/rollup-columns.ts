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

const LATENCY_COLUMNS = Array.from({ length: LATENCY_RANGES }, (_, range) => `lag${range}`);
const COUNT_COLUMNS = ['accepted', 'ended', 'messages', 'delivered', 'expired', 'parts'] as const;

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

/** Of a row with the summed columns, and those of `by`. */
export function rollupRowOf(row: AnyRow, by: readonly (RollupDimension | 'at')[]): RollupRow {
  const key = Object.fromEntries(
    by.map(name => [name, name === 'at' ? Number(row.at) : String(row[name])]),
  ) as Partial<RollupRow>;
  const [accepted = 0, ended = 0, messages = 0, delivered = 0, expired = 0, parts = 0] = COUNT_COLUMNS.map(
    name => Number(row[name]),
  );
  const latencies = LATENCY_COLUMNS.map(name => Number(row[name]));
  return { ...key, accepted, ended, messages, delivered, expired, parts, latencies };
}
