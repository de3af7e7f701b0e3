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
  /** Saves a form, or replaces the one with this id. */
  put(form: StoredForm): Promise<void>;
  find(account: AccountId, formId: FormId): Promise<StoredForm | undefined>;
  /** True if there was one. */
  remove(account: AccountId, formId: FormId): Promise<boolean>;
  /** Newest first; of one account only where it is named. */
  list(limit: number, account?: AccountId): Promise<StoredForm[]>;
}
