/** Declares routes whose handlers run only for the operator, answer with data, and leave changes in the audit log. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import type { Audit } from '../../operate/audit.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import type { OperatorGuard } from './guard.ts';

interface OperatorCall {
  Params: Record<string, string>;
  Querystring: Record<string, unknown>;
}

export type OperatorRequest = FastifyRequest<OperatorCall>;

/** What the audit log says of a change. */
export interface Audited {
  /** Such as `account.create`; the method and the path unless told. */
  readonly action?: string;
  /** What was changed, and how; the parameters of the path, and nothing more, unless told. */
  readonly describe?: (
    request: OperatorRequest,
    data: unknown,
  ) => { readonly target?: string; readonly details?: object };
}

export type OperatorRoute = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  /** A text is the whole body of a success, an object its data. */
  handle: (request: OperatorRequest) => Promise<object | string | Problem>,
  /** `unchanging`: it changes nothing although its method might. */
  audited?: Audited | 'unchanging',
) => void;

export function operatorRoute(
  app: FastifyInstance,
  deps: { readonly guard: OperatorGuard; readonly audit: Audit; readonly measured: Measured },
): OperatorRoute {
  return (method, url, handle, audited = {}) => {
    const handler = deps.measured<OperatorCall>(url, async (request, reply) => {
      const who = await deps.guard(request);
      if (who instanceof Problem) return sendProblem(reply, who);
      const data = await handle(request);
      if (data instanceof Problem) return sendProblem(reply, data);
      if (method !== 'GET' && audited !== 'unchanging') {
        const action = audited.action ?? `${method} ${url.replace('/admin/v1', '')}`;
        const { target = Object.values(request.params).join('/'), details = {} } =
          audited.describe?.(request, data) ?? {};
        await deps.audit.record({ who, action, target, details: { ...details } });
      }
      return sendSuccess(reply, typeof data === 'string' ? data : successBody({ data }));
    });
    app.route({ method, url, handler });
  };
}
