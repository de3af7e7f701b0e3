import type { Account } from '../../domain/account/account.ts';
import { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import type { Accounts } from '../../operate/accounts.ts';
import type { Compose } from '../../operate/compose.ts';
import type { Reports } from '../../report/reports.ts';
import type { SendByKind } from '../contract/send.ts';
import { idempotencyKey } from '../contract/send.ts';
import { parseJsonBody } from '../json-body.ts';
import { knownAccount } from './accounts.ts';
import type { OperatorRoute } from './route.ts';

const ACCOUNT = '/admin/v1/accounts/:id';

/** `/admin/v1/accounts/{id}/send|check|reports…`: the operator does what the account's own client would do. */
export function operatorComposeRoutes(deps: {
  readonly route: OperatorRoute;
  readonly accounts: Accounts;
  readonly compose: Compose;
  readonly sendByKind: SendByKind;
  readonly reports: Reports;
}): void {
  const { route, accounts, compose, sendByKind, reports } = deps;

  route(
    'POST',
    `${ACCOUNT}/send/:kind`,
    async request => {
      const account = await activeAccount(request.params.id);
      if (account instanceof Problem) return account;
      const kind = parseKind(request.params.kind);
      if (kind instanceof Problem) return kind;
      const body = parseJsonBody(request);
      if (body instanceof Problem) return body;
      const idempotency = idempotencyKey(request, `/v1/send/${kind}`);
      if (idempotency instanceof Problem) return idempotency;
      return sendByKind[kind](account, body.json, idempotency);
    },
    {
      action: 'message.send',
      describe: (_request, data) => ({ details: { msgKeys: keysIn(String(data)) } }),
    },
  );

  route(
    'POST',
    `${ACCOUNT}/check/:kind`,
    async request => {
      const account = await knownAccount(accounts, request.params.id);
      if (account instanceof Problem) return account;
      const kind = parseKind(request.params.kind);
      if (kind instanceof Problem) return kind;
      const body = parseJsonBody(request);
      return body instanceof Problem ? body : compose.check(account, kind, body.json);
    },
    'unchanging',
  );

  route('GET', `${ACCOUNT}/reports`, async ({ params }) => {
    const account = await knownAccount(accounts, params.id);
    return account instanceof Problem ? account : reports.poll(account);
  });

  route(
    'DELETE',
    `${ACCOUNT}/reports/:reportId`,
    async ({ params }) => {
      const account = await knownAccount(accounts, params.id);
      if (account instanceof Problem) return account;
      const { reportId = '' } = params;
      return (await reports.acknowledge(account, reportId)) ?? { reportId };
    },
    { action: 'reports.acknowledge' },
  );

  async function activeAccount(id: string | undefined): Promise<Account | Problem> {
    const account = await knownAccount(accounts, id);
    return !(account instanceof Problem) && account.blocked ? new Problem('A110') : account;
  }
}

function parseKind(given: string | undefined): SendKind | Problem {
  const kind = SEND_KINDS.find(known => known === given);
  return kind ?? new Problem('A300', `There is no send "${given}"`, { status: 404 });
}

/** The keys that an answer names. */
function keysIn(answer: string): string[] {
  return [...answer.matchAll(/"msgKey":"(\w{32})"/g)].map(match => match[1] ?? '');
}
