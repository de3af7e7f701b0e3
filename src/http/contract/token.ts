import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import { sendProblem, sendSuccess } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import type { Credentials, Desk, TokenCaller } from './desk.ts';

export const TOKEN_PATH = '/v1/auth/token';

const LONGEST_CREDENTIAL = 256;

/** The headers in which credentials may come, in the order in which they are looked for. */
export function credentialHeaders(headerPrefixes: readonly string[]) {
  const named = (name: string) => headerPrefixes.map(prefix => `x-${prefix.toLowerCase()}-${name}`);
  return { ids: named('client-id'), passwords: named('client-passwd') };
}

export type AnswerToken = (headers: IncomingHttpHeaders, caller: TokenCaller) => Promise<string | Problem>;

/** The body of the answer. That of the request is ignored: clients send none, `{}` or `null`. */
export function createAnswerToken(desk: Desk, headerPrefixes: readonly string[]): AnswerToken {
  const { ids, passwords } = credentialHeaders(headerPrefixes);
  return async (headers, caller) => {
    const credentials = readCredentials(headers);
    return credentials ? desk.issueToken(credentials, caller) : new Problem('A100');
  };

  function readCredentials(headers: IncomingHttpHeaders): Credentials | undefined {
    const [id, password] = [first(headers, ids), first(headers, passwords)];
    return id && password ? { id, password } : undefined;
  }
}

function first(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value.length <= LONGEST_CREDENTIAL) return value;
  }
  return undefined;
}

/** `POST /v1/auth/token`. */
export function tokenRoutes(deps: {
  readonly app: FastifyInstance;
  readonly desk: Desk;
  readonly headerPrefixes: readonly string[];
  readonly measured: Measured;
}): void {
  const answerToken = createAnswerToken(deps.desk, deps.headerPrefixes);
  const issue: Parameters<Measured>[1] = async (request, reply) => {
    const caller = { address: request.ip, socket: request.raw.socket };
    const answer = await answerToken(request.headers, caller);
    return answer instanceof Problem ? sendProblem(reply, answer) : sendSuccess(reply, answer);
  };
  deps.app.post(TOKEN_PATH, deps.measured(TOKEN_PATH, issue));
}
