import type { AccountId } from '../../domain/ids.ts';
import type { FormStore, StoredForm } from '../port/form-store.ts';
import { formPageOf, LAST_FORM, pageOfForms } from '../records/form-page.ts';
import type { Records } from '../records/records.ts';
import { formOf } from '../rows.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';

const PAGE_OF_ALL = pageOfForms('form_id < $1', '$2', '$3');
const PAGE_OF_ACCOUNT = pageOfForms('form_id < $1 AND account = $4', '$2', '$3');
/** Sets our locks by account apart from others. */
const FORM_LOCK = 4;

const rowsOf = (account: AccountId): string => `forms ${account}`;

export function postgresForms(db: Database, records: Records): FormStore {
  const { formEntries } = records;
  const valuesOf = ({ account, formId, entries, savedAt }: StoredForm) => {
    return { account, formId, entries: formEntries.write(entries, { account, form_id: formId }), savedAt };
  };
  return {
    create: (form, limit) =>
      lockingBriefly(db, db.as(form.account), rowsOf(form.account), async tx => {
        // Two that count at the same time would both find room for one.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${FORM_LOCK}))`, [form.account]);
        const { count } = await tx.query(
          `INSERT INTO form (account, form_id, entries, saved_at)
           SELECT :account::text, :formId::text, :entries::text, :savedAt::bigint
            WHERE coalesce((SELECT forms FROM account_usage WHERE account = :account), 0) < :limit`,
          { ...valuesOf(form), limit },
        );
        return count === 1;
      }),
    async put(form) {
      await lockingBriefly(db, db.as(form.account), rowsOf(form.account), tx =>
        tx.query(
          `INSERT INTO form (account, form_id, entries, saved_at) VALUES (:account, :formId, :entries, :savedAt)
           ON CONFLICT (account, form_id) DO UPDATE SET entries = excluded.entries, saved_at = excluded.saved_at`,
          valuesOf(form),
        ),
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
      const { count } = await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(statement, [account, formId]),
      );
      return count === 1;
    },
  };
}
