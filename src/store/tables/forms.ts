import type { AccountId, FormId } from '../../domain/ids.ts';
import { textBytesSql } from '../../platform/vault.ts';
import type { FormStore } from '../port/form-store.ts';
import { FORM_COLUMNS } from '../records/form-columns.ts';
import type { Records } from '../records/records.ts';
import { insertOneOf, lockName, sql, type Tables, valuesIn } from './tables.ts';

/** After every id. */
const LAST_FORM = '~' as FormId;
/** Sets our locks by account apart from others. */
const FORM_LOCK = 4;

const CREATE = `
  INSERT INTO form (account, form_id, entries, saved_at)
  SELECT :account::text, :form_id::text, :entries::text, :saved_at::bigint
   WHERE coalesce((SELECT forms FROM account_usage WHERE account = :account), 0) < :limit`;
const PUT = `${insertOneOf('form', FORM_COLUMNS)}
  ON CONFLICT (account, form_id) DO UPDATE SET entries = excluded.entries, saved_at = excluded.saved_at`;
const FIND = 'SELECT * FROM form WHERE account = :account AND form_id = :formId';
const REMOVE = 'DELETE FROM form WHERE account = :account AND form_id = :formId';

/**
 * Sizes are looked at first, so that entries beyond `maxBytes` are not read. `listed` is how many there are without that
 * bound; `limit` is one more than the page may have.
 */
const pageOf = (where: string): string => `
  WITH page AS (
    SELECT account, form_id, ${textBytesSql('entries')} AS bytes FROM form
     WHERE ${where} ORDER BY form_id DESC, account LIMIT :limit),
  measured AS (
    SELECT account, form_id, count(*) OVER () AS listed,
           row_number() OVER newest_first AS place, sum(bytes) OVER newest_first AS total
      FROM page WINDOW newest_first AS (ORDER BY form_id DESC, account))
  SELECT form.*, listed FROM measured JOIN form USING (account, form_id)
   WHERE place = 1 OR total <= :maxBytes
   ORDER BY place`;
const PAGE = pageOf('form_id < :before');
const PAGE_OF_ACCOUNT = pageOf('form_id < :before AND account = :account');

const turnOf = (account: AccountId): string => `forms ${account}`;

export function formTable(tables: Tables, records: Records): FormStore {
  const { form: columns, formOf } = records;
  return {
    create: (form, limit) =>
      tables.write(form.account, turnOf(form.account), function* () {
        // Two that count at the same time would both find room for one.
        yield* lockName(form.account, FORM_LOCK);
        return (yield* sql(CREATE, { ...valuesIn(columns, form), limit })).count === 1;
      }),
    async put(form) {
      await tables.write(form.account, turnOf(form.account), () => sql(PUT, valuesIn(columns, form)));
    },
    async find(account, formId) {
      const [row] = await tables.read(account, FIND, { account, formId });
      return row && formOf(row);
    },
    async list({ limit, maxBytes, account, before = LAST_FORM }) {
      const query = { before, limit: limit + 1, maxBytes };
      const rows =
        account === undefined
          ? await tables.read(undefined, PAGE, query)
          : await tables.read(account, PAGE_OF_ACCOUNT, { ...query, account });
      const page = rows.slice(0, limit);
      const hasMore = Number(rows[0]?.listed ?? 0) > page.length;
      return {
        forms: records.unreadable.each('form', page, row => {
          const { entries, ...form } = formOf(row);
          return { ...form, entries: JSON.parse(entries) };
        }),
        next: hasMore ? (page.at(-1)?.form_id as FormId) : undefined,
      };
    },
    async remove(account, formId) {
      const work = () => sql(REMOVE, { account, formId });
      return (await tables.write(account, turnOf(account), work)).count === 1;
    },
  };
}
