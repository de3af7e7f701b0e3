import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { Readiness } from '../../operate/readiness.ts';
import type { Clock } from '../../platform/clock.ts';
import { RateLimiter } from '../../platform/rate-limiter.ts';
import { ANSWER_HEADERS, sendProblem, sendSuccess, successBody } from '../envelope.ts';

/** Anyone may ask, and the text takes ten times as long as any other answer here: beyond this the last one is given. */
const TEXTS_OF_METRICS = { ratePerSecond: 20, burst: 200 };

/** `/healthz`: the process runs; `/readyz`: it can take requests; `/metrics`: for Prometheus. */
export function healthRoutes(deps: {
  readonly app: FastifyInstance;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly readiness: Pick<Readiness, 'reason'>;
}): void {
  const { app } = deps;
  // Some load balancers and monitors ask with HEAD. Node leaves the body of such an answer out.
  const method = ['GET', 'HEAD'];
  const alive = (_request: FastifyRequest, reply: FastifyReply) => sendSuccess(reply, successBody());
  app.route({ method, url: '/healthz', handler: alive });

  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const reason = await deps.readiness.reason();
    return reason === undefined
      ? sendSuccess(reply, successBody())
      : sendProblem(reply, new Problem('A920', `Not ready: ${reason}`, { retryAfterSeconds: 1 }));
  };
  app.route({ method, url: '/readyz', handler: ready });

  // Of this node alone: each node has a text of its own.
  const limiter = new RateLimiter(deps.clock);
  let lastText: string | undefined;
  const metrics = async (_request: FastifyRequest, reply: FastifyReply) => {
    const { registry } = deps.metrics;
    const headers = { ...ANSWER_HEADERS, 'content-type': registry.contentType };
    const isFlood = limiter.take('metrics', TEXTS_OF_METRICS) !== undefined;
    if (!isFlood || lastText === undefined) lastText = await registry.metrics();
    return reply.headers(headers).send(lastText);
  };
  app.route({ method, url: '/metrics', handler: metrics });
}
