/**
 * Reading a JSON body. Anything that is not JSON in UTF-8, or nested without end, is A010; more values than a request may hold
 * is A300; another content type is 415.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../domain/request/problem.ts';
import { JSON_TYPE } from './envelope.ts';
import { jsonBudgetProblem } from './json-budget.ts';

/** Larger than any request of the contract needs to be. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** RFC 9110, without its parameters. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;
const MALFORMED_TYPE = 'malformed/type';

const BYTE_ORDER_MARK = '\ufeff';

/** The body as received; empty if there is none. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** The framework refuses a malformed type ahead of any route; this way each route judges it like every other that it does not take. */
export function replaceMalformedType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = MALFORMED_TYPE;
}

export function parseJsonBody(request: FastifyRequest): { readonly json: unknown } | Problem {
  return parseJson(request.headers['content-type'], rawBody(request));
}

export function parseJson(type: string | undefined, bytes: Buffer): { readonly json: unknown } | Problem {
  if (type !== undefined && !isJsonType(type)) {
    const was = MEDIA_TYPE.test(type) ? type.slice(0, 100) : MALFORMED_TYPE;
    return new Problem('A300', `Content-Type must be application/json (was ${was})`, { status: 415 });
  }
  if (!isUtf8(bytes)) return new Problem('A010');
  const excess = jsonBudgetProblem(bytes);
  if (excess) return excess;
  const source = bytes.toString('utf8');
  try {
    return { json: JSON.parse(source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source) };
  } catch {
    return new Problem('A010');
  }
}

function isJsonType(type: string): boolean {
  if (type === JSON_TYPE) return true;
  const [media = ''] = type.split(';', 1);
  return /^application\/([\w.-]+\+)?json$/i.test(media.trim());
}
