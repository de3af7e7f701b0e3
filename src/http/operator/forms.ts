import { knownAccount } from '../../accept/known-account.ts';
import { parseAccountId, parseFormId } from '../../domain/ids.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { parseLimit, parseObjectBody, parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const FORM = '/admin/v1/accounts/:id/forms/:formId';

/** `/admin/v1/forms` and the forms of an account. */
export function operatorFormsRoutes(deps: {
  readonly route: OperatorRoute;
  readonly formatTime: FormatTime;
}): void {
  const { route, formatTime } = deps;

  route('GET', '/admin/v1/forms', 'viewer', async ({ query }, { forms }) => {
    const given = parseText(query, 'account');
    const account = given === undefined ? undefined : parseAccountId(given);
    if (given !== undefined && !account) return new Problem('A300', '"account" must be the id of an account');
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const cursor = parseText(query, 'cursor');
    const before = cursor === undefined ? undefined : parseFormId(cursor);
    if (cursor !== undefined && !before) {
      return new Problem('A300', '"cursor" must be the "next" of an earlier answer');
    }
    const page = await forms.list({ limit, account, before });
    return {
      forms: page.forms.map(({ savedAt, ...form }) => ({ ...form, savedAt: formatTime(savedAt) })),
      next: page.next ?? null,
    };
  });

  route('PUT', FORM, 'operator', async (request, { accounts, forms }) => {
    const account = await knownAccount(accounts, request.params.id);
    if (account instanceof Problem) return account;
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const { formId = '' } = request.params;
    return (await forms.replace(account, formId, body.messageForm ?? body.entries)) ?? { formId };
  });

  route('DELETE', FORM, 'operator', async ({ params }, { accounts, forms }) => {
    const account = await knownAccount(accounts, params.id);
    if (account instanceof Problem) return account;
    const { formId = '' } = params;
    return (await forms.remove(account, formId)) ?? { formId };
  });
}
