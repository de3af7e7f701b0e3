import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addAll, exportOptOuts, optOutView } from '../../accept/opt-out-file.ts';
import { optOutPage } from '../../accept/opt-out-query.ts';
import type { OptOuts } from '../../accept/opt-outs.ts';
import type { Account } from '../../domain/account/account.ts';
import { OPT_OUT_FILTERS, parseConsents, parseOptOuts } from '../../domain/delivery/opt-out-request.ts';
import { readQuery } from '../../domain/request/list-fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { ANSWER_HEADERS, CSV_TYPE, sendProblem, sendSuccess, successBody } from '../envelope.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';

const LIST = '/v1/optout';
const FILE = `${LIST}/csv`;

type OptOutRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;

/** `/v1/optout…`: the account's own list of recipients who opted out. */
export function optOutRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly optOuts: OptOuts;
  readonly formatTime: FormatTime;
  readonly measured: Measured;
}): void {
  const { app, callers, optOuts, formatTime } = deps;

  /** Declares a route for an authenticated account; `handle` returns the data of a success. */
  function route(
    method: 'GET' | 'POST',
    url: string,
    handle: (account: Account, request: OptOutRequest) => Promise<object | Problem>,
  ): void {
    const handler = deps.measured<{ Querystring: Record<string, unknown> }>(url, async (request, reply) => {
      const account = await callers.caller(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const data = await handle(account, request);
      return data instanceof Problem ? sendProblem(reply, data) : sendSuccess(reply, successBody({ data }));
    });
    app.route({ method, url, handler });
  }

  route('GET', LIST, async ({ id }, request) => {
    const filters = readQuery(OPT_OUT_FILTERS, request.query);
    if (filters instanceof Problem) return filters;
    return optOutPage(optOuts, id, filters, optOut => optOutView(optOut, formatTime));
  });

  route('POST', LIST, async ({ id }, request) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    const entries = parseOptOuts(body.json);
    return entries instanceof Problem ? entries : optOuts.add(id, entries, { way: 'api', by: id });
  });

  route('POST', `${LIST}/consent`, async ({ id }, request) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    const consents = parseConsents(body.json);
    if (consents instanceof Problem) return consents;
    const ended = await optOuts.consent(id, consents, { way: 'api', by: id });
    return ended instanceof Problem ? ended : { ended };
  });

  route('POST', FILE, async ({ id }, request) => {
    const bytes = rawBody(request);
    if (!isUtf8(bytes)) return new Problem('A300', 'The file must be CSV in UTF-8');
    const entries = await optOuts.read(id, bytes.toString('utf8'));
    return entries instanceof Problem ? entries : addAll(optOuts, id, entries, { way: 'csv', by: id });
  });

  const exported = deps.measured(FILE, async (request, reply) => {
    const account = await callers.caller(request);
    if (account instanceof Problem) return sendProblem(reply, account);
    const file = exportOptOuts(optOuts, account.id, optOut => optOutView(optOut, formatTime));
    return reply
      .headers({
        ...ANSWER_HEADERS,
        'content-type': `${CSV_TYPE}; charset=utf-8`,
        'content-disposition': 'attachment; filename="opt-outs.csv"',
      })
      .send(Readable.from(file));
  });
  app.get(FILE, exported);
}
