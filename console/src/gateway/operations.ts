/** Statistics, chaos in the simulated network, and the record of changes. */
import { call } from './call.ts';

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

export const readStatistics = (query: { from: string; until: string; bucket: string }, signal: AbortSignal) =>
  call<{ buckets: readonly Bucket[] }>('GET', '/statistics', { query, signal });

export interface Chaos {
  readonly errorRate: number;
  readonly dropRate: number;
  readonly extraLatencyMs: number;
}

export const readChaos = (signal: AbortSignal) => call<Chaos>('GET', '/simulator/chaos', { signal });
export const setChaos = (chaos: Chaos) => call<Chaos>('PUT', '/simulator/chaos', { body: chaos });
export const endChaos = () => call<Chaos>('DELETE', '/simulator/chaos');

export interface AuditEntry {
  readonly at: string;
  readonly who: string;
  readonly action: string;
  readonly target: string;
  readonly details?: unknown;
}

export const listAudit = (cursor: string | undefined, signal: AbortSignal) =>
  call<{ entries: readonly AuditEntry[]; next: string | null }>('GET', '/audit', {
    query: { cursor },
    signal,
  });
