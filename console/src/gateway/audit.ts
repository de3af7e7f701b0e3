import { call } from './call.ts';

export interface AuditEntry {
  readonly at: string;
  /** How the operator was authenticated. */
  readonly who: string;
  /** Null in entries from before operators had names. */
  readonly name: string | null;
  readonly action: string;
  readonly target: string;
  readonly details?: unknown;
}

export const listAudit = (operator: string, cursor: string | undefined, signal: AbortSignal) =>
  call<{ entries: readonly AuditEntry[]; next: string | null }>('GET', '/audit', {
    query: { operator: operator || undefined, cursor },
    signal,
  });
