import type { StoredAuditEntry } from '../port/operator-store.ts';
import { bigint, type ColumnsOf, json, optional, text } from './columns.ts';

/** Of the table `audit`. */
export const AUDIT_COLUMNS: ColumnsOf<Omit<StoredAuditEntry, 'id'>> = {
  at: bigint('at'),
  who: text('who'),
  name: optional(text('name')),
  operatorId: optional(text('operator_id')),
  action: text('action'),
  target: text('target'),
  details: json('details'),
};
