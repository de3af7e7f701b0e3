/**
 * Declares routes whose handlers run only for operators of a role, or a higher one, and answer with data. A handler changes
 * things with the operator's own tools, which leave each change in the audit log.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Replayed } from '../../accept/idempotency.ts';
import type { Role } from '../../domain/operator/role.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Operator } from '../../operate/access.ts';
import type { AuditedTools } from '../../operate/audited-tools.ts';
import type { Clock } from '../../platform/clock.ts';
import { REPLAY_HEADERS, sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { ExplainFailure } from '../failure.ts';
import type { Measured } from '../measured.ts';
import { CsvFile, sendCsv } from './csv-file.ts';
import { departureOf, hasLeft } from './departure.ts';
import type { OperatorGuard } from './guard.ts';
import { LongAnswer, sendLong } from './long-answer.ts';
import { StreamedFile, sendFile } from './streamed-file.ts';

interface OperatorCall {
  Params: Record<string, string>;
  Querystring: Record<string, unknown>;
}

export type OperatorRequest = FastifyRequest<OperatorCall>;

export type OperatorRoute = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  /** Of a declared operation it is asked for with the call. */
  least: Role | (() => Promise<Role>),
  /** A string is the whole body of a success, or of one that is given again; an object is its data. */
  handle: (
    request: OperatorRequest,
    tools: AuditedTools,
    operator: Operator,
    /** Aborts when the caller leaves; see departure.ts. */
    departure: () => AbortSignal,
  ) => Promise<object | string | Problem>,
) => void;

/**
 * No name and no text of ours holds a NUL, and PostgreSQL does not even take one to look for. So it is refused before any
 * handler sees it: handlers hand parameters and filters on as text.
 */
function holdsNul({ url }: OperatorRequest): boolean {
  return url.includes('%00');
}

function nulInPath(): Problem {
  return new Problem('A300', 'A path or a parameter holds a NUL (%00)');
}

export function operatorRoute(deps: {
  readonly app: FastifyInstance;
  readonly guard: OperatorGuard;
  readonly measured: Measured;
  readonly clock: Clock;
  readonly explainFailure: ExplainFailure;
  /** The tools that record what is done with them under the name of this operator. */
  readonly toolsOf: (operator: Operator) => AuditedTools;
}): OperatorRoute {
  return (method, url, least, handle) => {
    const handler = deps.measured<OperatorCall>(url, async (request, reply) => {
      const operator = await deps.guard(request, typeof least === 'function' ? await least() : least);
      if (operator instanceof Problem) return sendProblem(reply, operator);
      if (holdsNul(request)) return sendProblem(reply, nulInPath());
      if (hasLeft(request)) return reply.hijack();
      const data = await handle(request, deps.toolsOf(operator), operator, () => departureOf(reply));
      if (hasLeft(request)) {
        if (data instanceof StreamedFile) data.content.destroy();
        return reply.hijack();
      }
      if (data instanceof Problem) return sendProblem(reply, data);
      if (data instanceof CsvFile) return sendCsv(reply, data);
      const explain = (error: unknown) =>
        deps.explainFailure(error, { requestId: request.id, method, route: url }).problem;
      if (data instanceof StreamedFile) return sendFile(reply, data, explain);
      if (data instanceof LongAnswer) return sendLong(reply, data, { clock: deps.clock, explain });
      if (data instanceof Replayed) return sendSuccess(reply, data.body, REPLAY_HEADERS);
      return sendSuccess(reply, typeof data === 'string' ? data : successBody({ data }));
    });
    deps.app.route({ method, url, handler });
  };
}
