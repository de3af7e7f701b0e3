import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { Operator } from '../../operations/operate.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import { parseJsonBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';

/** `/admin/v1/…`: the operator's side, behind the admin token. */
export function adminRoutes(
  app: FastifyInstance,
  deps: { readonly operator: Operator; readonly measured: Measured },
): void {
  const { operator } = deps;

  /** Declares a route whose handler runs only for the operator and answers with data. */
  function route(
    method: 'GET' | 'PUT' | 'DELETE',
    url: string,
    handle: (request: FastifyRequest<{ Params: Record<string, string> }>) => Promise<object | Problem>,
  ): void {
    const handler = deps.measured<{ Params: Record<string, string> }>(url, async (request, reply) => {
      if (!(await operator.isOperator(request.headers.authorization))) {
        return sendProblem(reply, new Problem('A002'));
      }
      const data = await handle(request);
      return data instanceof Problem ? sendProblem(reply, data) : sendSuccess(reply, successBody({ data }));
    });
    app.route({ method, url, handler });
  }

  route('GET', '/admin/v1/queue', () => operator.queue());
  route('GET', '/admin/v1/messages/:msgKey', request => operator.message(request.params.msgKey ?? ''));
  route('GET', '/admin/v1/simulator/chaos', async () => operator.chaos());
  route('PUT', '/admin/v1/simulator/chaos', async request => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : operator.setChaos(body.json);
  });
  route('DELETE', '/admin/v1/simulator/chaos', async () => operator.setChaos({}));
}
