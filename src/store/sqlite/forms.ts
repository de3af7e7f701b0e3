import type { FormStore } from '../port/form-store.ts';
import { formOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

export function sqliteForms(db: Database): FormStore {
  const put = db.prepare(
    `INSERT INTO form (account, form_id, entries, saved_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET entries = excluded.entries, saved_at = excluded.saved_at`,
  );
  const select = db.prepare('SELECT * FROM form WHERE account = ? AND form_id = ?');
  const selectAll = db.prepare('SELECT * FROM form ORDER BY saved_at DESC LIMIT ?');
  const selectOf = db.prepare('SELECT * FROM form WHERE account = ? ORDER BY saved_at DESC LIMIT ?');
  const remove = db.prepare('DELETE FROM form WHERE account = ? AND form_id = ?');
  return {
    async put({ account, formId, entries, savedAt }) {
      await db.write(() => put.run(account, formId, entries, savedAt));
    },
    async find(account, formId) {
      const row = select.get(account, formId) as Row | undefined;
      return row && formOf(row);
    },
    async list(limit, account) {
      const rows = account === undefined ? selectAll.all(limit) : selectOf.all(account, limit);
      return (rows as Row[]).map(formOf);
    },
    remove: (account, formId) => db.write(() => remove.run(account, formId).changes === 1),
  };
}
