import type { StoredForm } from '../port/form-store.ts';
import { bigint, type ColumnsOf, sealed, text } from './columns.ts';

/** Of the table `form`. */
export const FORM_COLUMNS: ColumnsOf<StoredForm> = {
  account: text('account'),
  formId: text('form_id'),
  entries: sealed(text('entries'), 'form.entries', ['account', 'form_id']),
  savedAt: bigint('saved_at'),
};
