import { Replayed } from '../../accept/idempotency.ts';
import { knownAccount } from '../../accept/known-account.ts';
import type { Reservations } from '../../accept/reservations.ts';
import type { SendOperation } from '../../accept/send.ts';
import type { Account } from '../../domain/account/account.ts';
import { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import type { Accounts } from '../../operate/accounts.ts';
import type { Compose } from '../../operate/compose.ts';
import { sendFor } from '../contract/desk.ts';
import { readSend } from '../contract/read-send.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import type { OperatorRoute } from './route.ts';

const ACCOUNT = '/admin/v1/accounts/:id';

/** `/admin/v1/accounts/{id}/send|check|reports…`: the operator does what the account's own client would do. */
export function operatorComposeRoutes(deps: {
  readonly route: OperatorRoute;
  readonly compose: Compose;
  readonly send: SendOperation;
  readonly reservations: Reservations;
}): void {
  const { route, compose, send, reservations } = deps;

  route('POST', `${ACCOUNT}/send/:kind`, 'operator', async (request, { accounts, record }) => {
    const account = await activeAccount(accounts, request.params.id);
    if (account instanceof Problem) return account;
    const kind = parseKind(request.params.kind);
    if (kind instanceof Problem) return kind;
    const read = readSend({
      kind,
      contentType: request.headers['content-type'],
      idempotencyKey: request.headers['idempotency-key'],
      traceparent: request.headers.traceparent,
      body: rawBody(request),
    });
    if (read instanceof Problem) return read;
    const answered = await sendFor(send, reservations, account, read);
    if (answered instanceof Problem) return answered;
    // Recorded again: the first time may have been interrupted after the message was stored.
    const isReplay = answered instanceof Replayed;
    await record('message.send', account.id, kind, keysIn(isReplay ? answered.body : answered), isReplay);
    return answered;
  });

  route('POST', `${ACCOUNT}/check/:kind`, 'operator', async (request, { accounts }) => {
    const account = await knownAccount(accounts, request.params.id);
    if (account instanceof Problem) return account;
    const kind = parseKind(request.params.kind);
    if (kind instanceof Problem) return kind;
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : compose.check(account, kind, body.json);
  });

  route('GET', `${ACCOUNT}/reports`, 'operator', async ({ params }, { accounts, reports }) => {
    const account = await knownAccount(accounts, params.id);
    return account instanceof Problem ? account : reports.poll(account);
  });

  route('DELETE', `${ACCOUNT}/reports/:reportId`, 'operator', async ({ params }, { accounts, reports }) => {
    const account = await knownAccount(accounts, params.id);
    if (account instanceof Problem) return account;
    const { reportId = '' } = params;
    return (await reports.acknowledge(account, reportId)) ?? { reportId };
  });

  async function activeAccount(
    accounts: Pick<Accounts, 'find'>,
    id: string | undefined,
  ): Promise<Account | Problem> {
    const account = await knownAccount(accounts, id);
    return !(account instanceof Problem) && account.blocked ? new Problem('A110') : account;
  }
}

function parseKind(given: string | undefined): SendKind | Problem {
  const kind = SEND_KINDS.find(known => known === given);
  return kind ?? new Problem('A300', `There is no send "${given}"`, { status: 404 });
}

/** The message keys in an answer. */
function keysIn(answer: string): string[] {
  return [...answer.matchAll(/"msgKey":"(\w{32})"/g)].map(match => match[1] ?? '');
}
