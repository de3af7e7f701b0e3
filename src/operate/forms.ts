/** What operators do with the message forms of accounts. */
import type { Forms } from '../accept/forms.ts';
import { knownAccount } from '../accept/known-account.ts';
import { Problem } from '../domain/request/problem.ts';
import type { forms as declared, StoredForm } from '../operations/forms.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Accounts } from './accounts.ts';
import type { Handlers } from './perform.ts';

export function formHandlers({
  forms,
  accounts,
  formatTime,
}: {
  readonly forms: Pick<Forms, 'list' | 'replace' | 'remove'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly formatTime: FormatTime;
}): Handlers<OperationsOf<typeof declared>> {
  return {
    async 'GET /forms'({ account, cursor: before, limit = 50 }) {
      const page = await forms.list({ limit, account, before });
      return {
        forms: page.forms.map(({ savedAt, entries, ...form }) => ({
          ...form,
          savedAt: formatTime(savedAt),
          entries: entries as StoredForm['entries'],
        })),
        next: page.next ?? null,
      };
    },
    async 'PUT /accounts/{id}/forms/{formId}'({ id, formId, messageForm }) {
      const account = await knownAccount(accounts, id);
      if (account instanceof Problem) return account;
      return (await forms.replace(account, formId, messageForm)) ?? { formId };
    },
    async 'DELETE /accounts/{id}/forms/{formId}'({ id, formId }) {
      const account = await knownAccount(accounts, id);
      if (account instanceof Problem) return account;
      return (await forms.remove(account, formId)) ?? { formId };
    },
  };
}
