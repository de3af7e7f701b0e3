/** The parameters that lists of the operator API share. */
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { parseJsonBody } from '../json-body.ts';
import type { OperatorRequest } from './route.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export function parseLimit(given: unknown, most = MAX_LIMIT): number | Problem {
  if (given === undefined || given === '') return DEFAULT_LIMIT;
  const limit = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  return limit >= 1 && limit <= most
    ? limit
    : new Problem('A300', `"limit" must be a whole number from 1 to ${most}`);
}

/** A filter that is text; undefined if it is not given. */
export function parseText(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const given = query[name];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

export function parseObjectBody(request: OperatorRequest): Readonly<Record<string, unknown>> | Problem {
  const body = parseJsonBody(request);
  if (body instanceof Problem) return body;
  return isObject(body.json) ? body.json : new Problem('A011', 'The body must be a JSON object');
}
