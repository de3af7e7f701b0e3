import { call } from './call.ts';

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
