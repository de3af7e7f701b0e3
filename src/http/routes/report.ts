import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { Reports } from '../../operations/reports.ts';
import type { Callers } from '../caller.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';

/** `/v1/report/…`: polling, its acknowledgement, inquiry. */
export function reportRoutes(
  app: FastifyInstance,
  deps: { readonly callers: Callers; readonly reports: Reports },
): void {
  const { callers, reports } = deps;

  app.get('/v1/report/polling', async (request, reply) => {
    const account = await callers.caller(request);
    if (account instanceof Problem) return sendProblem(reply, account);
    const data = await reports.poll(account);
    return data instanceof Problem ? sendProblem(reply, data) : sendSuccess(reply, successBody({ data }));
  });

  app.delete<{ Params: { reportId: string } }>('/v1/report/polling/:reportId', async (request, reply) => {
    const account = await callers.caller(request);
    if (account instanceof Problem) return sendProblem(reply, account);
    const problem = await reports.acknowledge(account, request.params.reportId);
    return problem ? sendProblem(reply, problem) : sendSuccess(reply, successBody());
  });

  app.get<{ Params: { msgKey: string } }>('/v1/report/inquiry/:msgKey', async (request, reply) => {
    const account = await callers.caller(request);
    if (account instanceof Problem) return sendProblem(reply, account);
    const report = await reports.inquire(account, request.params.msgKey);
    return sendSuccess(reply, successBody({ data: { report } }));
  });
}
