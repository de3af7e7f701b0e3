/** The part of the store port for saved forms. */
import type { AccountId, FormId } from '../../domain/ids.ts';

export interface StoredForm {
  readonly account: AccountId;
  readonly formId: FormId;
  /** JSON, as the client gave it. */
  readonly entries: string;
  readonly savedAt: number;
}

export interface FormStore {
  /** Saves a new form, unless its account has `limit` of them; false then. */
  create(form: StoredForm, limit: number): Promise<boolean>;
  /** Saves a form, or replaces the one with this id. */
  put(form: StoredForm): Promise<void>;
  find(account: AccountId, formId: FormId): Promise<StoredForm | undefined>;
  /** True if there was one. */
  remove(account: AccountId, formId: FormId): Promise<boolean>;
  list(query: FormQuery): Promise<FormPage>;
}

export interface FormQuery {
  readonly limit: number;
  /** The page ends before the form with which its entries would be larger than this; it has at least one. */
  readonly maxBytes: number;
  /** Only of this account. */
  readonly account?: AccountId | undefined;
  /** Only those that are older than the form with this id. */
  readonly before?: FormId | undefined;
}

/** Newest first, by their ids. */
export interface FormPage {
  readonly forms: readonly ListedForm[];
  /** Where the next page begins, if there are more. */
  readonly next: FormId | undefined;
}

export interface ListedForm extends Omit<StoredForm, 'entries'> {
  readonly entries: unknown;
}
