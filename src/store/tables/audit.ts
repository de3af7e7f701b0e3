import type { AuditStore } from '../port/operator-store.ts';
import type { Records } from '../records/records.ts';
import { auditEntryOf } from '../rows.ts';
import { sql, type Tables } from './tables.ts';

const ADD = `
  INSERT INTO audit (at, who, name, operator_id, action, target, details)
  VALUES (:at, :who, :name, :operatorId, :action, :target, :details)`;
const LIST = 'SELECT * FROM audit WHERE id < :before ORDER BY id DESC LIMIT :limit';

/** `sweep` walks by age, which is a matter of each engine. */
export function auditTable(tables: Tables, records: Records, sweep: AuditStore['sweep']): AuditStore {
  return {
    async add({ at, who, name = null, operatorId = null, action, target, details }) {
      const entry = { at, who, name, operatorId, action, target, details: JSON.stringify(details) };
      await tables.write(undefined, undefined, () => sql(ADD, entry));
    },
    async list(limit, before = Number.MAX_SAFE_INTEGER) {
      const rows = await tables.read(undefined, LIST, { before, limit });
      return rows.map(row => auditEntryOf(row, records));
    },
    sweep,
  };
}
