/**
 * Lets the operator through and nobody else: by the admin token in the Authorization header, or by the session cookie.
 *
 * A browser adds the cookie to every request, also to one that another site causes. So a request by cookie must come
 * from our own page as far as the browser says; a change also needs a header that another site cannot set.
 */
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import type { OperatorAccess, OperatorProof } from '../../operate/access.ts';
import { sessionOf } from './session-cookie.ts';

export type OperatorGuard = (request: FastifyRequest) => Promise<OperatorProof | Problem>;

const OWN_HEADER = 'x-bongsu-console';

export function createOperatorGuard(access: OperatorAccess, publicUrl: string | undefined): OperatorGuard {
  return async request => {
    const { authorization } = request.headers;
    const proof = await access.authenticate({ authorization, session: sessionOf(request) }, request.ip);
    if (proof !== 'session') return proof;
    const isChange = request.method !== 'GET';
    if (isChange && request.headers[OWN_HEADER] === undefined) return foreignPage();
    return isSameOrigin(request, publicUrl) ? proof : foreignPage();
  };
}

export function foreignPage(): Problem {
  return new Problem(
    'A300',
    'A request by session must come from the console itself, a change with X-Bongsu-Console: 1',
    { status: 403 },
  );
}

/** Judged by the headers that browsers set; other programs set none, and have no cookie that was not given to them. */
export function isSameOrigin(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin } = request.headers;
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host;
  return host !== undefined && (host === request.host || host === URL.parse(publicUrl ?? '')?.host);
}
