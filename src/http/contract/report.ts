/** `/v1/report/…`: polling, its acknowledgement, inquiry. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import { sendProblem, sendSuccess } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import { ACKNOWLEDGE_PATH, INQUIRY_PATH, POLL_PATH, type ReportCall } from './answer-report.ts';
import type { Desk } from './desk.ts';

export function reportRoutes(deps: {
  readonly app: FastifyInstance;
  readonly desk: Desk;
  readonly measured: Measured;
}): void {
  const { app, desk, measured } = deps;
  type Params = { readonly Params: { readonly id: string } };
  route('GET', POLL_PATH, () => ({ kind: 'poll' }));
  route('DELETE', ACKNOWLEDGE_PATH, ({ params: { id } }) => ({ kind: 'acknowledge', id }));
  route('GET', INQUIRY_PATH, ({ params: { id } }) => ({ kind: 'inquire', id }));

  function route(
    method: 'GET' | 'DELETE',
    url: string,
    callOf: (request: FastifyRequest<Params>) => ReportCall,
  ): void {
    const handler = measured<Params>(url, async (request, reply) => {
      const caller = { authorization: request.headers.authorization, address: request.ip };
      const answer = await desk.report(caller, callOf(request));
      return answer instanceof Problem ? sendProblem(reply, answer) : sendSuccess(reply, answer);
    });
    app.route({ method, url, handler });
  }
}
