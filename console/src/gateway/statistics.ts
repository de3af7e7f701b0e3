import { readMember } from '../answers/question.ts';

export interface Tally {
  readonly delivered: number;
  readonly failed: number;
}

export interface Bucket {
  readonly at: string;
  readonly accepted: number;
  readonly delivered: number;
  readonly failed: number;
  readonly expired: number;
  readonly channels: Readonly<Record<string, Tally>>;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export const readStatistics = (query: { from: string; until: string; bucket: string }) =>
  readMember<readonly Bucket[]>('/statistics', 'buckets', query);
