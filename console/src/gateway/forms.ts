import { call, pathOf } from './call.ts';

export interface Form {
  readonly account: string;
  readonly formId: string;
  readonly savedAt: string;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

export const listForms = (account: string | undefined, signal: AbortSignal) =>
  call<{ forms: readonly Form[] }>('GET', '/forms', { query: { account }, signal });

export const removeForm = (account: string, formId: string) =>
  call<void>('DELETE', pathOf('accounts', account, 'forms', formId));
