/** The operator's view of a gateway: by token, or signed in with a cookie as the console is. */
import type { AccountId } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/operator/role.ts';
import { ADMIN_TOKEN, type Answer, type Client, type TestGateway, WEBHOOK_ON_LOOPBACK } from './gateway.ts';
import { until } from './until.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const BY_TOKEN = { authorization: `Bearer ${ADMIN_TOKEN}` };

export type OperatorCall = (
  method: Method,
  path: string,
  body?: string | Buffer | object,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Calls `/admin/v1…` with the admin token. */
export function operatorOf(gateway: TestGateway): OperatorCall {
  return (method, path, body, headers = BY_TOKEN) =>
    gateway.request(method, `/admin/v1${path}`, { headers, ...(body !== undefined && { body }) });
}

/** What is accepted from now on waits in the queue. */
export async function holdQueue(gateway: TestGateway): Promise<void> {
  await operatorOf(gateway)('POST', '/carriers/simulator/pause');
}

/** Signs in and resolves to the cookie. */
export async function signIn(gateway: TestGateway, proof: object = { token: ADMIN_TOKEN }): Promise<string> {
  const answer = await gateway.request('POST', '/admin/v1/session', { body: proof });
  return String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

/** Adds a named operator. */
export async function addOperator(
  gateway: TestGateway,
  name: string,
  role: Role,
  lifetimeDays = 90,
): Promise<{ readonly id: string; readonly token: string; readonly headers: Record<string, string> }> {
  const answer = await operatorOf(gateway)('POST', '/operators', { name, role, lifetimeDays });
  const { id, token } = answer.body.data;
  return { id, token, headers: { authorization: `Bearer ${token}` } };
}

/** Puts the account of a client into webhook mode, to an address that nobody may call, and sends; resolves to the delivery. */
export async function failingDelivery(gateway: TestGateway, client: Client): Promise<string> {
  await gateway.gateway.accounts.change(client.id as AccountId, { settings: WEBHOOK_ON_LOOPBACK });
  await client.sms();
  return until('there is a delivery', async () => {
    // The gateway learns by the clock that the account is in webhook mode.
    gateway.clock.advance(1000);
    const { deliveries } = (await operatorOf(gateway)('GET', '/webhooks?state=retrying')).body.data;
    return deliveries[0]?.id;
  });
}
