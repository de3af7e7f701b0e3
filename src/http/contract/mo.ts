import type { FastifyInstance } from 'fastify';
import type { Account } from '../../domain/account/account.ts';
import { type MsgKey, parseMsgKey, parseReportId } from '../../domain/ids.ts';
import { isStorable } from '../../domain/request/field-kinds.ts';
import { Problem } from '../../domain/request/problem.ts';
import { MOMENT_FORM, parseMoment } from '../../platform/moment.ts';
import type { InboundHistoryQuery, InboundMessages } from '../../report/inbound-messages.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';

const POLLING = '/v1/mo/polling';
const DEFAULT_LIMIT = 100;
const MOST = 1000;
const LONGEST_NUMBER = 32;

interface MoCall {
  Params: { id?: string };
  Querystring: Record<string, unknown>;
}

/** `/v1/mo/…` and the history of inbound messages. */
export function moRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly inboundMessages: InboundMessages;
  readonly measured: Measured;
}): void {
  const { app, callers, inboundMessages } = deps;

  function route(
    method: 'GET' | 'DELETE',
    url: string,
    handle: (account: Account, call: MoCall) => Promise<object | Problem>,
  ): void {
    const handler = deps.measured<MoCall>(url, async (request, reply) => {
      const account = await callers.caller(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const { params, query } = request;
      const members = await handle(account, { Params: params, Querystring: query });
      return members instanceof Problem
        ? sendProblem(reply, members)
        : sendSuccess(reply, successBody(members));
    });
    app.route({ method, url, handler });
  }

  route('GET', POLLING, async account => {
    const data = await inboundMessages.poll(account);
    return data instanceof Problem ? data : { data };
  });
  route('DELETE', `${POLLING}/:id`, async (account, { Params: { id = '' } }) => {
    // An id that cannot be ours is passed as empty: the store may not even accept its characters.
    const problem = await inboundMessages.acknowledge(account, parseReportId(id) ?? '');
    // The words of the code are about reports.
    return problem?.code === 'A805' ? new Problem('A805', 'Invalid moId') : (problem ?? {});
  });
  route('GET', '/v1/message/inquiry/mo/msgKey/:id', async (account, { Params: { id = '' } }) => {
    return { data: { messages: await inboundMessages.inquire(account, id) } };
  });
  route('GET', '/v1/message/history/mo', async (account, { Querystring }) => {
    const query = parseHistoryQuery(Querystring);
    return query instanceof Problem ? query : { data: await inboundMessages.history(account, query) };
  });
}

function parseHistoryQuery(given: Readonly<Record<string, unknown>>): InboundHistoryQuery | Problem {
  const { occurredTime, lastSeq } = given;
  const limit = given.limit || String(DEFAULT_LIMIT);
  const since = typeof occurredTime === 'string' ? parseMoment(occurredTime) : undefined;
  if (since === undefined) return new Problem('A300', `"occurredTime" must be ${MOMENT_FORM}`);
  const from = parseNumber(given.from);
  const to = parseNumber(given.to);
  if (from instanceof Problem || to instanceof Problem) {
    return new Problem('A300', `"${from instanceof Problem ? 'from' : 'to'}" must be a telephone number`);
  }
  const isLimit = typeof limit === 'string' && /^\d{1,4}$/.test(limit);
  const most = isLimit ? Number(limit) : 0;
  if (most < 1 || most > MOST) return new Problem('A300', `"limit" must be a whole number from 1 to ${MOST}`);
  const after = parseCursor(lastSeq);
  if (after instanceof Problem) return after;
  return { since, from, to, after, limit: most };
}

function parseNumber(given: unknown): string | undefined | Problem {
  if (given === undefined || given === '') return undefined;
  const isNumber = typeof given === 'string' && given.length <= LONGEST_NUMBER && isStorable(given);
  return isNumber ? given.trim() : new Problem('A300');
}

function parseCursor(given: unknown): MsgKey | undefined | Problem {
  if (given === undefined || given === '') return undefined;
  const cursor = typeof given === 'string' ? parseMsgKey(given) : undefined;
  return cursor ?? new Problem('A300', '"lastSeq" must be the "lastSeq" of an earlier answer');
}
