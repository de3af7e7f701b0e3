/** The result envelope: the only thing this server ever answers with. Exactly the members of the specification. */
import type { FastifyReply } from 'fastify';
import type { Problem } from '../domain/problem.ts';
import { RESULT_CODES } from '../domain/result-codes.ts';

export const JSON_TYPE = 'application/json';

const SUCCESS = `"code":"A000","result":"${RESULT_CODES.A000.text}"`;

/** The body of a success with further members, which must be an object. */
export function successBody(members?: object): string {
  const rest = members ? JSON.stringify(members).slice(1) : '}';
  return rest === '}' ? `{${SUCCESS}}` : `{${SUCCESS},${rest}`;
}

export function problemBody({ code, result }: Pick<Problem, 'code' | 'result'>): string {
  return JSON.stringify({ code, result });
}

export function sendSuccess(reply: FastifyReply, body: string): FastifyReply {
  return send(reply, 200, body);
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
  return send(reply, problem.status, problemBody(problem));
}

/** As bytes, because Fastify adds a charset to the content type of a string, and the specification has none. */
function send(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header('content-type', JSON_TYPE).send(Buffer.from(body));
}
