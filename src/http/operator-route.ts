/** Declares routes whose handlers run only for the operator, behind the admin token, and answer with data. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../domain/problem.ts';
import type { Operator } from '../operations/operate.ts';
import { sendProblem, sendSuccess, successBody } from './envelope.ts';
import type { Measured } from './measured.ts';

interface OperatorCall {
  Params: Record<string, string>;
  Querystring: Record<string, unknown>;
}

export type OperatorRoute = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  handle: (request: FastifyRequest<OperatorCall>) => Promise<object | Problem>,
) => void;

export function operatorRoute(
  app: FastifyInstance,
  deps: { readonly operator: Operator; readonly measured: Measured },
): OperatorRoute {
  return (method, url, handle) => {
    const handler = deps.measured<OperatorCall>(url, async (request, reply) => {
      if (!(await deps.operator.isOperator(request.headers.authorization))) {
        return sendProblem(reply, new Problem('A002'));
      }
      const data = await handle(request);
      return data instanceof Problem ? sendProblem(reply, data) : sendSuccess(reply, successBody({ data }));
    });
    app.route({ method, url, handler });
  };
}
