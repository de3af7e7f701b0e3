import type { AuditStore } from '../port/operator-store.ts';
import { AUDIT_COLUMNS } from '../records/audit-columns.ts';
import type { Records } from '../records/records.ts';
import { insertOneOf, sql, type Tables, valuesIn } from './tables.ts';

const ADD = insertOneOf('audit', AUDIT_COLUMNS);
const LIST = `
  SELECT * FROM audit WHERE (at, id) < (:at::bigint, :id::bigint) AND at >= :from::bigint
   ORDER BY at DESC, id DESC LIMIT :limit`;

const NEWEST = { at: Number.MAX_SAFE_INTEGER, id: 0 };

/** `sweep` walks by age, which is a matter of each engine. */
export function auditTable(tables: Tables, records: Records, sweep: AuditStore['sweep']): AuditStore {
  return {
    async add(entry) {
      await tables.write(undefined, undefined, () => sql(ADD, valuesIn(AUDIT_COLUMNS, entry)));
    },
    async list({ limit, before = NEWEST, from = 0 }) {
      const rows = await tables.read(undefined, LIST, { ...before, from, limit });
      return rows.map(row => ({ id: Number(row.id), ...records.auditEntryOf(row) }));
    },
    sweep,
  };
}
