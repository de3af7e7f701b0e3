import { read, readMember } from '../answers/question.ts';

export interface TrafficSums {
  readonly accepted: number;
  /** Channel messages; the others count whole messages. */
  readonly ended: number;
  readonly messages: number;
  readonly delivered: number;
  readonly failed: number;
  readonly expired: number;
  readonly parts: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export const DIMENSIONS = ['account', 'channel', 'carrier', 'code', 'sender'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
export type Unit = 'hour' | 'day';

export interface TrafficRow extends TrafficSums, Partial<Readonly<Record<Dimension, string>>> {
  readonly at?: string;
}

export interface TrafficReport {
  readonly from: string;
  readonly until: string;
  readonly countedUntil: string | null;
  readonly total: TrafficSums;
  readonly rows: readonly TrafficRow[];
  readonly isCut: boolean;
}

export interface Range {
  readonly from: string;
  readonly until: string;
}

export type TrafficQuery = Range & { readonly by: string } & Partial<Readonly<Record<Dimension, string>>>;

export const readTraffic = (query: TrafficQuery) => read<TrafficReport>('/statistics/traffic', { ...query });

interface CarrierSums {
  readonly submitted: number;
  readonly refused: number;
  readonly throttled: number;
}

export interface CarrierTraffic extends CarrierSums {
  readonly carrier: string;
  readonly buckets: readonly (CarrierSums & { readonly at: string })[];
}

export type CarrierBucket = 'minute' | Unit;

export const readCarrierTraffic = (query: Range & { readonly bucket: CarrierBucket }) =>
  readMember<readonly CarrierTraffic[]>('/statistics/carriers', 'carriers', { ...query });
