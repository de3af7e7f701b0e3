import { readList } from '../answers/question.ts';

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

export const listAudit = (operator: string) => readList<AuditEntry>('/audit', 'entries', { operator });
