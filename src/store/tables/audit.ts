import type { AuditStore } from '../port/operator-store.ts';
import type { Records } from '../records/records.ts';
import { auditEntryOf } from '../rows.ts';
import { sql, type Tables } from './tables.ts';

const ADD = `
  INSERT INTO audit (at, who, name, operator_id, action, target, details)
  VALUES (:at, :who, :name, :operatorId, :action, :target, :details)`;
const LIST = `
  SELECT * FROM audit WHERE (at, id) < (:at::bigint, :id::bigint) AND at >= :from::bigint
   ORDER BY at DESC, id DESC LIMIT :limit`;

const NEWEST = { at: Number.MAX_SAFE_INTEGER, id: 0 };

/** `sweep` walks by age, which is a matter of each engine. */
export function auditTable(tables: Tables, records: Records, sweep: AuditStore['sweep']): AuditStore {
  return {
    async add({ at, who, name = null, operatorId = null, action, target, details }) {
      const entry = { at, who, name, operatorId, action, target, details: JSON.stringify(details) };
      await tables.write(undefined, undefined, () => sql(ADD, entry));
    },
    async list({ limit, before = NEWEST, from = 0 }) {
      const rows = await tables.read(undefined, LIST, { ...before, from, limit });
      return rows.map(row => auditEntryOf(row, records));
    },
    sweep,
  };
}
