import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OptOuts } from '../../accept/opt-outs.ts';
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { addressBlock } from '../../platform/address-block.ts';
import { isSameSecret } from '../../platform/hashing.ts';
import type { Limiter } from '../../platform/limiter.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import { rawBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';

const PATH = '/optout/calls/:account';
const LONGEST_TOKEN = 1000;
/** The service calls from a few addresses. */
const MOST_PROVEN = 1000;
/** Of one address. A right token takes none. */
const GUESSES = { ratePerSecond: 0.1, burst: 10 };
/** Of an address of the service. Others may be behind the same proxy: a few wrong ones must not keep the service out. */
const GUESSES_BESIDE_SERVICE = { ratePerSecond: 1, burst: 100 };

type CallRequest = FastifyRequest<{
  Params: { account: string };
  Querystring: Record<string, unknown>;
}>;

/**
 * `/optout/calls/{account}`: somebody called the free number of the account to opt out, and the service behind the number
 * tells us. It is answered well only after the entry is stored; otherwise the service comes again.
 */
export function optOutCallbackRoutes(deps: {
  readonly app: FastifyInstance;
  readonly measured: Measured;
  readonly optOuts: OptOuts;
  readonly limiter: Limiter;
  readonly optOutToken: string | undefined;
}): void {
  const { app, optOuts, limiter, optOutToken } = deps;
  /** Addresses of the service. */
  const proven = new Set<string>();
  const handler = deps.measured<{ Params: { account: string }; Querystring: Record<string, unknown> }>(
    PATH,
    async (request, reply) => {
      if (optOutToken === undefined) return sendProblem(reply, noPath());
      // A place is taken before the token is looked at, so that a guess beyond the limit tells nothing.
      const block = addressBlock(request.ip);
      const [guess, limit] = proven.has(block)
        ? [`opt-out call beside ${block}`, GUESSES_BESIDE_SERVICE]
        : [`opt-out call ${block}`, GUESSES];
      const over = await limiter.take(guess, limit);
      if (over) return sendProblem(reply, new Problem('A020', undefined, over));
      if (!isAuthentic(request, optOutToken)) return sendProblem(reply, new Problem('A002'));
      limiter.giveBack(guess);
      if (proven.size < MOST_PROVEN) proven.add(block);
      const fields = fieldsOf(request);
      const result = await optOuts.byCall(request.params.account, {
        from: textOf(fields, 'from', 'caller'),
        called: textOf(fields, 'to', 'called'),
      });
      return result instanceof Problem ? sendProblem(reply, result) : sendSuccess(reply, successBody({}));
    },
  );
  app.route({ method: ['GET', 'POST'], url: PATH, handler });
}

function noPath(): Problem {
  return new Problem('A300', 'There is no such path', { status: 404 });
}

function isAuthentic({ headers, query }: CallRequest, token: string): boolean {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const given = bearer ?? (typeof query.token === 'string' ? query.token : '');
  return given.length <= LONGEST_TOKEN && isSameSecret(given, token);
}

/** JSON, a form, or the query where there is no body. */
function fieldsOf(request: CallRequest): Readonly<Record<string, unknown>> {
  const text = rawBody(request).toString('utf8');
  if (text.trim() === '') return request.query;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  if (isForm) return Object.fromEntries(new URLSearchParams(text));
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

function textOf(fields: Readonly<Record<string, unknown>>, ...names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
