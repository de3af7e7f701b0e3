/**
 * Lets operators through whose role is enough, and nobody else: by a token in the Authorization header, or by the session
 * cookie. Every route says which role it needs at least.
 *
 * A browser adds the cookie to every request, also to one that another site causes. So a request by cookie must come
 * from our own page as far as the browser says; a change also needs a header that another site cannot set.
 */
import type { FastifyRequest } from 'fastify';
import { type Role, reaches } from '../../domain/operator/role.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Operator, OperatorAccess } from '../../operate/access.ts';
import { sessionOf } from './session-cookie.ts';

export type OperatorGuard = (request: FastifyRequest, least: Role) => Promise<Operator | Problem>;

const OWN_HEADER = 'x-bongsu-console';

export function createOperatorGuard(access: OperatorAccess, publicUrl: string | undefined): OperatorGuard {
  return async (request, least) => {
    const { authorization } = request.headers;
    const operator = await access.authenticate({ authorization, session: sessionOf(request) }, request.ip);
    if (operator instanceof Problem) return operator;
    if (operator.by === 'session' && !isOwnPage(request, publicUrl)) return foreignPage();
    return reaches(operator.role, least) ? operator : roleTooLow(operator.role, least);
  };
}

function isOwnPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const isChange = request.method !== 'GET';
  return (!isChange || request.headers[OWN_HEADER] !== undefined) && isSameOrigin(request, publicUrl);
}

/**
 * Our choice: A300, as for everything that a valid proof does not cover. A002 would tell programs and the console that the
 * token is wrong, and they would ask for another one.
 */
function roleTooLow(role: Role, least: Role): Problem {
  return new Problem('A300', `This needs the role "${least}"; yours is "${role}"`, { status: 403 });
}

export function foreignPage(): Problem {
  return new Problem(
    'A300',
    'A request with a session must come from the console, and a change needs the header X-Bongsu-Console: 1',
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
