import { Readable } from 'node:stream';
import { knownAccount } from '../../accept/known-account.ts';
import { canonicalNumber } from '../../domain/request/phone-number.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Accounts } from '../../operate/accounts.ts';
import type { Subject } from '../../operate/privacy.ts';
import { parseObjectBody } from './list-query.ts';
import type { OperatorRequest, OperatorRoute } from './route.ts';
import { BYTES_TYPE, StreamedFile } from './streamed-file.ts';

const ERASURES = '/admin/v1/privacy/erasures';

/** `/admin/v1/privacy…`: what is kept of a recipient. The number is in the body, because paths are logged. */
export function operatorPrivacyRoutes(deps: {
  readonly route: OperatorRoute;
  readonly accounts: Pick<Accounts, 'find'>;
}): void {
  const { route, accounts } = deps;
  type Order = Subject & { readonly images: boolean };

  async function parseOrder(request: OperatorRequest): Promise<Order | Problem> {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const number = typeof body.recipient === 'string' ? canonicalNumber(body.recipient) : undefined;
    if (number === undefined) return new Problem('A300', '"recipient" must be a telephone number');
    const { images = false } = body;
    if (typeof images !== 'boolean') return new Problem('A300', '"images" must be true or false');
    const given = body.account ?? undefined;
    if (given === undefined) return { number, account: undefined, images };
    if (typeof given !== 'string') return new Problem('A300', '"account" must be the id of an account');
    const account = await knownAccount(accounts, given);
    return account instanceof Problem ? account : { number, account: account.id, images };
  }

  route('POST', '/admin/v1/privacy/holdings', 'admin', async (request, { privacy }) => {
    const order = await parseOrder(request);
    return order instanceof Problem ? order : privacy.holdings(order);
  });

  route('POST', '/admin/v1/privacy/exports', 'admin', async (request, { privacy }) => {
    const order = await parseOrder(request);
    if (order instanceof Problem) return order;
    return new StreamedFile(BYTES_TYPE, 'recipient.json', Readable.from(privacy.export(order)));
  });

  route('POST', ERASURES, 'admin', async (request, { privacy }) => {
    const order = await parseOrder(request);
    return order instanceof Problem ? order : privacy.erase(order, { images: order.images });
  });

  route('GET', ERASURES, 'admin', async (_request, { privacy }) => ({ orders: await privacy.orders() }));
}
