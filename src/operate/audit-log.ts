/** What operators read of the audit log: as a list, and as a file for spreadsheets. */
import type { AuditEntryView, audit as declared } from '../operations/audit.ts';
import type { OperationsOf } from '../operations/operation.ts';
import { BYTE_ORDER_MARK, formatCsvRow } from '../platform/csv.ts';
import { type Audit, MOST_LOOKED_AT } from './audit.ts';
import type { Handlers } from './perform.ts';

/** Rows of a page where the caller does not say. */
const PAGE = 50;
const COLUMNS = ['at', 'who', 'name', 'operatorId', 'action', 'target', 'details'] as const;
const HEAD = BYTE_ORDER_MARK + formatCsvRow(COLUMNS);

export function auditHandlers(audit: Pick<Audit, 'list'>): Handlers<OperationsOf<typeof declared>> {
  return {
    'GET /audit': query => audit.list({ limit: PAGE, ...query }),
    async 'GET /audit/csv'(query) {
      const { entries, next } = await audit.list({ ...query, limit: MOST_LOOKED_AT });
      return { text: HEAD + entries.map(rowOf).join(''), rows: entries.length, next };
    },
  };
}

function rowOf(entry: AuditEntryView): string {
  const cells = { ...entry, details: JSON.stringify(entry.details) };
  return formatCsvRow(COLUMNS.map(name => cells[name] ?? ''));
}
