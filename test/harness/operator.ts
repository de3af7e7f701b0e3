/** The operator's view of a gateway: by token, or signed in with a cookie as the console is. */
import type { Role } from '../../src/domain/operator/role.ts';
import { ADMIN_TOKEN, type Answer, type TestGateway } from './gateway.ts';

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
