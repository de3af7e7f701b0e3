import type { FormStore, StoredForm } from '../port/form-store.ts';
import { formPageOf, LAST_FORM, pageOfForms } from '../records/form-page.ts';
import type { Records } from '../records/records.ts';
import { formOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

export function sqliteForms(db: Database, records: Records): FormStore {
  const { formEntries } = records;
  const put = db.prepare(
    `INSERT INTO form (account, form_id, entries, saved_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET entries = excluded.entries, saved_at = excluded.saved_at`,
  );
  const select = db.prepare('SELECT * FROM form WHERE account = ? AND form_id = ?');
  const insert = db.prepare(
    `INSERT INTO form (account, form_id, entries, saved_at)
     SELECT ?1, ?2, ?3, ?4 WHERE coalesce((SELECT forms FROM account_usage WHERE account = ?1), 0) < ?5`,
  );
  const selectAll = db.prepare(pageOfForms('form_id < ?1', '?2', '?3'));
  const selectOf = db.prepare(pageOfForms('form_id < ?1 AND account = ?4', '?2', '?3'));
  const remove = db.prepare('DELETE FROM form WHERE account = ? AND form_id = ?');
  const valuesOf = ({ account, formId, entries, savedAt }: StoredForm) =>
    [account, formId, formEntries.write(entries, { account, form_id: formId }), savedAt] as const;
  return {
    create: (form, limit) => db.write(() => insert.run(...valuesOf(form), limit).changes === 1),
    async put(form) {
      await db.write(() => put.run(...valuesOf(form)));
    },
    async find(account, formId) {
      const row = select.get(account, formId) as Row | undefined;
      return row && formOf(row, records);
    },
    async list({ limit, maxBytes, account, before = LAST_FORM }) {
      const rows =
        account === undefined
          ? selectAll.all(before, limit + 1, maxBytes)
          : selectOf.all(before, limit + 1, maxBytes, account);
      return formPageOf(rows as Row[], limit, records);
    },
    remove: (account, formId) => db.write(() => remove.run(account, formId).changes === 1),
  };
}
