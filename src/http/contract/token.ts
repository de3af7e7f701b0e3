import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../../accept/access.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';

/** `POST /v1/auth/token`. Its body is ignored: clients send none, `{}` or `null`. */
export function tokenRoutes(deps: {
  readonly app: FastifyInstance;
  readonly access: Access;
  readonly formatTime: FormatTime;
  readonly headerPrefixes: readonly string[];
  readonly measured: Measured;
}): void {
  const { app } = deps;
  const prefixes = deps.headerPrefixes.map(prefix => prefix.toLowerCase());

  const issue: Parameters<Measured>[1] = async (request, reply) => {
    const id = credential(request, 'client-id');
    const password = credential(request, 'client-passwd');
    if (!id || !password) return sendProblem(reply, new Problem('A100'));
    const { socket } = request.raw;
    const client = { address: request.ip, isWanted: () => !socket.destroyed };
    const issued = await deps.access.issueToken(id, password, client);
    if (issued instanceof Problem) return sendProblem(reply, issued);
    const { schema, token, expiresAt } = issued;
    return sendSuccess(reply, successBody({ data: { schema, expired: deps.formatTime(expiresAt), token } }));
  };
  app.post('/v1/auth/token', deps.measured('/v1/auth/token', issue));

  function credential(request: FastifyRequest, name: string): string | undefined {
    for (const prefix of prefixes) {
      const value = request.headers[`x-${prefix}-${name}`];
      if (typeof value === 'string' && value.length <= 256) return value;
    }
    return undefined;
  }
}
