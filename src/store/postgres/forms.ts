import type { FormStore } from '../port/form-store.ts';
import { formPageOf, LAST_FORM, pageOfForms } from '../records/form-page.ts';
import type { Records } from '../records/records.ts';
import { formOf } from '../rows.ts';
import type { Database } from './database.ts';

const PAGE_OF_ALL = pageOfForms('form_id < $1', '$2', '$3');
const PAGE_OF_ACCOUNT = pageOfForms('form_id < $1 AND account = $4', '$2', '$3');
/** Sets our locks by account apart from others. */
const FORM_LOCK = 4;

export function postgresForms(db: Database, records: Records): FormStore {
  const { formEntries } = records;
  return {
    create: ({ account, formId, entries, savedAt }, limit) =>
      db.as(account).transaction(async tx => {
        // Two that count at the same time would both find room for one.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${FORM_LOCK}))`, [account]);
        const { count } = await tx.query(
          `INSERT INTO form (account, form_id, entries, saved_at)
           SELECT :account::text, :formId::text, :entries::text, :savedAt::bigint
            WHERE coalesce((SELECT forms FROM account_usage WHERE account = :account), 0) < :limit`,
          { account, formId, entries: formEntries.write(entries), savedAt, limit },
        );
        return count === 1;
      }),
    async put({ account, formId, entries, savedAt }) {
      await db.as(account).query(
        `INSERT INTO form (account, form_id, entries, saved_at) VALUES (:account, :formId, :entries, :savedAt)
         ON CONFLICT (account, form_id) DO UPDATE SET entries = excluded.entries, saved_at = excluded.saved_at`,
        { account, formId, entries: formEntries.write(entries), savedAt },
      );
    },
    async find(account, formId) {
      const statement = 'SELECT * FROM form WHERE account = $1 AND form_id = $2';
      const [row] = await db.as(account).query(statement, [account, formId]);
      return row && formOf(row, records);
    },
    async list({ limit, maxBytes, account, before = LAST_FORM }) {
      const rows =
        account === undefined
          ? await db.query(PAGE_OF_ALL, [before, limit + 1, maxBytes])
          : await db.as(account).query(PAGE_OF_ACCOUNT, [before, limit + 1, maxBytes, account]);
      return formPageOf(rows, limit, records);
    },
    async remove(account, formId) {
      const statement = 'DELETE FROM form WHERE account = $1 AND form_id = $2';
      const { count } = await db.as(account).query(statement, [account, formId]);
      return count === 1;
    },
  };
}
