/** A page of message forms: the query and its reading, for both engines. */
import type { FormId } from '../../domain/ids.ts';
import { textBytesSql } from '../../platform/vault.ts';
import type { FormPage } from '../port/form-store.ts';
import { formOf } from '../rows.ts';
import type { AnyRow } from './columns.ts';
import type { Records } from './records.ts';

/** After every id. */
export const LAST_FORM = '~' as FormId;

/**
 * Sizes are looked at first, so that entries beyond `maxBytes` are not read. `listed` is how many there are without that
 * bound; `limit` is one more than the page may have.
 */
export function pageOfForms(where: string, limit: string, maxBytes: string): string {
  return `
    WITH page AS (
      SELECT account, form_id, ${textBytesSql('entries')} AS bytes FROM form
       WHERE ${where} ORDER BY form_id DESC, account LIMIT ${limit}),
    measured AS (
      SELECT account, form_id, count(*) OVER () AS listed,
             row_number() OVER newest_first AS place, sum(bytes) OVER newest_first AS total
        FROM page WINDOW newest_first AS (ORDER BY form_id DESC, account))
    SELECT form.*, listed FROM measured JOIN form USING (account, form_id)
     WHERE place = 1 OR total <= ${maxBytes}
     ORDER BY place`;
}

export function formPageOf(rows: readonly AnyRow[], limit: number, records: Records): FormPage {
  const page = rows.slice(0, limit);
  const hasMore = Number(rows[0]?.listed ?? 0) > page.length;
  return {
    forms: records.unreadable.each('form', page, row => {
      const { entries, ...form } = formOf(row, records);
      return { ...form, entries: JSON.parse(entries) };
    }),
    next: hasMore ? (page.at(-1)?.form_id as FormId) : undefined,
  };
}
