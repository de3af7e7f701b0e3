import type { FastifyInstance } from 'fastify';
import type { Account } from '../../domain/account/account.ts';
import { parseReportId } from '../../domain/ids.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Reports } from '../../report/reports.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';

const POLLING = '/v1/report/polling';

/** `/v1/report/…`: polling, its acknowledgement, inquiry. */
export function reportRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly reports: Reports;
  readonly measured: Measured;
}): void {
  const { app, callers, reports } = deps;
  /** Of batches that several pollers share, written once. */
  const rendered = new WeakMap<object, Buffer>();
  function bytesOf(data: object): Buffer {
    const bytes = rendered.get(data) ?? Buffer.from(successBody({ data }));
    rendered.set(data, bytes);
    return bytes;
  }

  /**
   * Declares a route for an authenticated account; `handle` returns the members of a success besides code and result.
   */
  function route(
    method: 'GET' | 'DELETE',
    url: string,
    handle: (account: Account, id: string) => Promise<object | Problem>,
  ): void {
    const handler = deps.measured<{ Params: { id?: string } }>(url, async (request, reply) => {
      const account = await callers.caller(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const members = await handle(account, request.params.id ?? '');
      return members instanceof Problem
        ? sendProblem(reply, members)
        : sendSuccess(reply, successBody(members));
    });
    app.route({ method, url, handler });
  }

  const poll = deps.measured(POLLING, async (request, reply) => {
    const account = await callers.caller(request);
    if (account instanceof Problem) return sendProblem(reply, account);
    const data = await reports.poll(account);
    if (data instanceof Problem) return sendProblem(reply, data);
    return sendSuccess(reply, data.report ? bytesOf(data) : successBody({ data }));
  });
  app.get(POLLING, poll);
  route('DELETE', `${POLLING}/:id`, async (account, id) => {
    // An id that cannot be ours is passed as empty: the store may not even accept its characters.
    return (await reports.acknowledge(account, parseReportId(id) ?? '')) ?? {};
  });
  route('GET', '/v1/report/inquiry/:id', async (account, msgKey) => {
    return { data: { report: await reports.inquire(account, msgKey) } };
  });
}
