/** Sums of the traffic. */
import { LATENCY_RANGES } from '../../platform/latency.ts';
import type {
  CarrierGrain,
  CarrierSums,
  RollupDimension,
  RollupRow,
  RollupSums,
} from '../port/rollup-store.ts';
import { type AnyRow, bigint, type ColumnsOf, integer, smallint, text } from './columns.ts';

/** How a grain is stored: its length in hours. */
export const HOURS_OF: Readonly<Record<CarrierGrain, number>> = { minute: 0, hour: 1, day: 24 };

const LATENCY_COLUMNS = Array.from({ length: LATENCY_RANGES }, (_, range) => `lag${range}`);
const COUNT_COLUMNS = ['accepted', 'ended', 'messages', 'delivered', 'expired', 'parts'] as const;

/** The columns that add up. */
export const SUMMED_COLUMNS: readonly string[] = [...COUNT_COLUMNS, ...LATENCY_COLUMNS];

/** One row of the table `rollup`, flat as it is stored. */
export type StoredSums = Readonly<Record<RollupDimension, string>> & {
  readonly hours: number;
  readonly at: number;
} & Readonly<Record<string, string | number>>;

export const ROLLUP_COLUMNS = {
  hours: smallint('hours'),
  at: bigint('at'),
  account: text('account'),
  sender: text('sender'),
  channel: text('channel'),
  carrier: text('carrier'),
  code: text('code'),
  ...Object.fromEntries(SUMMED_COLUMNS.map(name => [name, integer(name)])),
} as ColumnsOf<StoredSums>;

export const CARRIER_COLUMNS: ColumnsOf<CarrierSums & { readonly hours: number }> = {
  hours: smallint('hours'),
  at: bigint('at'),
  carrier: text('carrier'),
  submitted: integer('submitted'),
  refused: integer('refused'),
  throttled: integer('throttled'),
};

/** Sums in the order of their columns. */
export function summedValues(sums: RollupSums): number[] {
  return [...COUNT_COLUMNS.map(name => sums[name]), ...sums.latencies];
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
