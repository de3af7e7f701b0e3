/**
 * A parameter that is given twice would be a list, which no filter is: ignored, the filter would show everything. Providers that
 * call back write their parameters as they like.
 */
import type { FastifyInstance } from 'fastify';
import { Problem } from '../domain/request/problem.ts';
import { sendProblem } from './envelope.ts';

/** Compared with the route, not with the path as written: `//admin/v1` and `/%61dmin/v1` lead there as well. */
const OURS = /^\/(?:admin\/)?v1\//;
const LONGEST_SHOWN = 64;

export function refuseRepeatedParameters(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    const name = OURS.test(request.routeOptions.url ?? '') ? repeatedIn(request.query) : undefined;
    if (name === undefined) return done();
    const shown = name.slice(0, LONGEST_SHOWN).toWellFormed();
    sendProblem(reply, new Problem('A300', `"${shown}" is given more than once`));
  });
}

function repeatedIn(query: unknown): string | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  return Object.entries(query).find(([, value]) => Array.isArray(value))?.[0];
}
