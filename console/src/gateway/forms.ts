import { readList } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export interface Form {
  readonly account: string;
  readonly formId: string;
  readonly savedAt: string;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

export const listForms = (account: string) => readList<Form>('/forms', 'forms', { account });

export const replaceForm = (account: string, formId: string, entries: Form['entries']) =>
  call<void>('PUT', pathOf('accounts', account, 'forms', formId), { body: { messageForm: entries } });

export const removeForm = (account: string, formId: string) =>
  call<void>('DELETE', pathOf('accounts', account, 'forms', formId));
