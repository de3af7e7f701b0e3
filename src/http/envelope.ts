/** The result envelope: the only thing this server ever answers with. Exactly the members of the specification. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Problem } from '../domain/request/problem.ts';
import { RESULT_CODES, type ResultCode } from '../domain/request/result-codes.ts';
import { inKorean, languageOf } from './language.ts';

export const JSON_TYPE = 'application/json';
export const CSV_TYPE = 'text/csv';

/** On every answer: it holds what only its caller may see, so nobody keeps it, and no browser takes it for a page. */
export const ANSWER_HEADERS = {
  'content-type': JSON_TYPE,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** Our choice: many times what any request may hold. */
const MOST_DISCARDED_BYTES = 64 * 1024 * 1024;

/** On the answer to a repeated Idempotency-Key: it is the first one, and nothing was sent again. */
export const REPLAY_HEADERS = { 'idempotent-replayed': 'true' } as const;

/** On an answer that does not tell whether the request was carried out. */
const DOUBT_HEADERS = { 'x-outcome': 'unknown' } as const;

const SUCCESS = `"code":"A000","result":"${RESULT_CODES.A000.text}"`;

/** The body of a success, with the members of an object added. */
export function successBody(members?: object): string {
  const rest = members ? JSON.stringify(members).slice(1) : '}';
  return rest === '}' ? `{${SUCCESS}}` : `{${SUCCESS},${rest}`;
}

/** The body of a single send's success: the same as `successBody` would give, at half the cost. */
export function sentBody(msgKey: string, ref: string | undefined): string {
  return ref === undefined
    ? `{${SUCCESS},"msgKey":"${msgKey}"}`
    : `{${SUCCESS},"msgKey":"${msgKey}","ref":${JSON.stringify(ref)}}`;
}

export function problemBody({ code, result }: Pick<Problem, 'code' | 'result'>): string {
  return JSON.stringify({ code, result });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Called for every refusal, with the pattern of its path; set by the server as a decorator. */
    noteRefusal(route: string | undefined, code: ResultCode): void;
  }
}

/** What a client is told, whoever writes it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer;
}

export function successAnswer(
  body: string | Buffer,
  acceptLanguage: string | undefined,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return answerOf(200, body, acceptLanguage, headers);
}

export function problemAnswer(
  problem: Problem,
  acceptLanguage: string | undefined,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const { retryAfterSeconds, isInDoubt } = problem;
  return answerOf(problem.status, problemBody(problem), acceptLanguage, {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(isInDoubt && DOUBT_HEADERS),
    ...headers,
  });
}

function answerOf(
  status: number,
  body: string | Buffer,
  acceptLanguage: string | undefined,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const isKorean = languageOf(acceptLanguage) === 'ko';
  const said = isKorean ? inKorean(body) : body;
  const own = { ...ANSWER_HEADERS, 'content-length': Buffer.byteLength(said) };
  // Most answers have no others.
  if (!isKorean && !headers) return { status, headers: own, body: said };
  return {
    status,
    headers: { ...own, ...(isKorean && { 'content-language': 'ko' }), ...headers },
    body: said,
  };
}

/**
 * Bypasses Fastify's serialization, which adds a charset that the specification does not have, and costs a
 * second system call for a body that is not a string (measured: 8 % of all accepts a second).
 */
export function writeAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  if (hasArrived(response.req)) {
    response.end(body);
    return;
  }
  response.write(body);
  endWhenRead(response);
}

/** What was injected by a test is no request of a connection, and has arrived. */
function hasArrived({ complete }: IncomingMessage): boolean {
  return complete !== false;
}

/**
 * Reads and discards the rest of a request that was answered before it had arrived. Many clients read only after they have sent
 * everything, and a connection that is closed while its peer still sends loses the answer. A rest that is too large is cut off,
 * as is one that takes longer than a request may (front/node-server.ts).
 */
export function endWhenRead(response: ServerResponse): void {
  const { req } = response;
  let discarded = 0;
  finished(req, () => response.end());
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MOST_DISCARDED_BYTES) req.destroy();
  });
  req.resume();
}

export function sendSuccess(
  reply: FastifyReply,
  body: string | Buffer,
  headers?: Readonly<Record<string, string>>,
): FastifyReply {
  reply.hijack();
  writeAnswer(reply.raw, successAnswer(body, reply.request.headers['accept-language'], headers));
  return reply;
}

export function sendProblem(
  reply: FastifyReply,
  problem: Problem,
  headers?: Readonly<Record<string, string>>,
): FastifyReply {
  reply.server.noteRefusal(reply.request.routeOptions.url, problem.code);
  reply.hijack();
  writeAnswer(reply.raw, problemAnswer(problem, reply.request.headers['accept-language'], headers));
  return reply;
}
