import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Reservations } from '../../accept/reservations.ts';
import type { Cancelling, CancelResult } from '../../deliver/cancel.ts';
import type { Account } from '../../domain/account/account.ts';
import { parseMsgKey, parseRequestId } from '../../domain/ids.ts';
import { Problem } from '../../domain/request/problem.ts';
import { RESULT_CODES } from '../../domain/request/result-codes.ts';
import type { OwnMessages } from '../../report/own-messages.ts';
import type { Query } from '../../report/own-query.ts';
import type { ReadOwnStatistics } from '../../report/own-statistics.ts';
import { ANSWER_HEADERS, CSV_TYPE, sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';

const MESSAGE = '/v1/message';

interface Call {
  Params: { id?: string };
  Querystring: Query;
}

/** `/v1/message…`: an account's own messages: one, those of a request, history, statistics; and cancelling them. */
export function messageRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly measured: Measured;
  readonly ownMessages: OwnMessages;
  readonly ownStatistics: ReadOwnStatistics;
  readonly cancelling: Cancelling;
  readonly reservations: Reservations;
}): void {
  const { app, callers, ownMessages, ownStatistics, cancelling, reservations } = deps;

  route('GET', `${MESSAGE}/history`, (account, _id, query) => ownMessages.history(account, query));
  route('GET', `${MESSAGE}/statistics`, (account, _id, query) => ownStatistics(account, query));
  route('GET', `${MESSAGE}/inquiry/msgKey/:id`, async (account, id) => {
    return { messages: (await ownMessages.find(account, id))?.messages ?? [] };
  });
  route('GET', `${MESSAGE}/inquiry/requestId/:id`, async (account, id) => {
    return { messages: await ownMessages.ofRequest(account, id) };
  });
  route('GET', `${MESSAGE}/:id`, async (account, id) => (await ownMessages.find(account, id)) ?? noMessage());
  route('POST', `${MESSAGE}/:id/cancel`, async (account, id) => {
    const msgKey = parseMsgKey(id);
    if (!msgKey) return noMessage();
    const reserved = await reservations.cancelMessage(account.id, msgKey);
    if (reserved) return reserved === 'cancelled' ? { msgKey, state: 'failed' } : reserved;
    const cancelled = await cancelling.message(msgKey, account.id);
    // One that was taken out of its reservation before is there no more.
    const wasReserved = !cancelled && (await reservations.hasMessage(account.id, msgKey));
    if (!cancelled) return wasReserved ? { msgKey, state: 'failed' } : noMessage();
    const { code, result, state } = cancelled;
    return code === 'A000' ? { msgKey, state } : new Problem(code, result);
  });
  route('POST', `${MESSAGE}/requestId/:id/cancel`, async (account, id) => {
    const requestId = parseRequestId(id);
    if (!requestId) return noRequest();
    const reserved = await reservations.cancelRequest(account.id, requestId);
    if (reserved instanceof Problem) return reserved;
    const sent = await cancelling.request(requestId, account.id);
    if (sent.length === 0 && reserved === undefined) return noRequest();
    const { text: result } = RESULT_CODES.A000;
    const taken = (reserved ?? []).map(
      msgKey => ({ msgKey, code: 'A000', result, state: 'failed' }) as const,
    );
    const messages = [...taken, ...sent.map(withoutAccount)];
    return { cancelledCnt: messages.filter(isCancelled).length, messages };
  });

  const exportRoute = `${MESSAGE}/history/export`;
  const exportHistory = deps.measured<Call>(exportRoute, async (request, reply) => {
    const account = await callers.caller(request);
    if (account instanceof Problem) return sendProblem(reply, account);
    const file = ownMessages.file(account, request.query);
    return file instanceof Problem ? sendProblem(reply, file) : sendFile(reply, file);
  });
  app.get(exportRoute, exportHistory);

  /** Declares a route for an authenticated account that answers with data. */
  function route(
    method: 'GET' | 'POST',
    url: string,
    handle: (account: Account, id: string, query: Query) => Promise<object | Problem>,
  ): void {
    const handler = deps.measured<Call>(url, async (request, reply) => {
      const account = await callers.caller(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const data = await handle(account, request.params.id ?? '', request.query);
      return data instanceof Problem ? sendProblem(reply, data) : sendSuccess(reply, successBody({ data }));
    });
    app.route({ method, url, handler });
  }
}

/** Page by page, as fast as the caller takes it. Where a page cannot be read, the file breaks off without its end. */
function sendFile(reply: FastifyReply, file: AsyncIterable<string>): FastifyReply {
  return reply
    .headers({
      ...ANSWER_HEADERS,
      'content-type': `${CSV_TYPE}; charset=utf-8`,
      'content-disposition': 'attachment; filename="messages.csv"',
    })
    .send(Readable.from(file));
}

function noRequest(): Problem {
  return new Problem('A300', 'There is no such request', { status: 404 });
}

function noMessage(): Problem {
  return new Problem('A300', 'There is no such message', { status: 404 });
}

const isCancelled = ({ code }: Pick<CancelResult, 'code'>): boolean => code === 'A000';

function withoutAccount({ account: _account, ...result }: CancelResult) {
  return result;
}
