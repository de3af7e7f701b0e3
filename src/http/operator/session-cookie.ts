/** The cookie of a signed-in operator: out of reach for scripts, and never sent from another site. */
import type { FastifyRequest } from 'fastify';

const NAME = 'bongsu_session';

export function sessionOf(request: FastifyRequest): string | undefined {
  const cookies = request.headers.cookie?.split(';') ?? [];
  const found = cookies.map(cookie => cookie.trim()).find(cookie => cookie.startsWith(`${NAME}=`));
  return found?.slice(NAME.length + 1) || undefined;
}

export function sessionCookie(id: string, lifetimeSeconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${NAME}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${lifetimeSeconds}${secure}`;
}
