import type { FormStore } from '../port/form-store.ts';
import { formOf } from '../rows.ts';
import type { Database } from './database.ts';

export function postgresForms(db: Database): FormStore {
  return {
    async put({ account, formId, entries, savedAt }) {
      await db.query(
        `INSERT INTO form (account, form_id, entries, saved_at) VALUES (:account, :formId, :entries, :savedAt)
         ON CONFLICT (account, form_id) DO UPDATE SET entries = excluded.entries, saved_at = excluded.saved_at`,
        { account, formId, entries, savedAt },
      );
    },
    async find(account, formId) {
      const [row] = await db.query('SELECT * FROM form WHERE account = $1 AND form_id = $2', [
        account,
        formId,
      ]);
      return row && formOf(row);
    },
    async list(limit, account) {
      const rows = await db.query(
        'SELECT * FROM form WHERE $2::text IS NULL OR account = $2 ORDER BY saved_at DESC LIMIT $1',
        [limit, account ?? null],
      );
      return rows.map(formOf);
    },
    async remove(account, formId) {
      const { count } = await db.query('DELETE FROM form WHERE account = $1 AND form_id = $2', [
        account,
        formId,
      ]);
      return count === 1;
    },
  };
}
