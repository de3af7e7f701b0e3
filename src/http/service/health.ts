import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { Readiness } from '../../operate/readiness.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';

/** `/healthz`: the process runs; `/readyz`: it can take requests; `/metrics`: for Prometheus. */
export function healthRoutes(deps: {
  readonly app: FastifyInstance;
  readonly metrics: Metrics;
  readonly readiness: Pick<Readiness, 'reason'>;
}): void {
  const { app } = deps;
  app.get('/healthz', (_request, reply) => sendSuccess(reply, successBody()));

  app.get('/readyz', async (_request, reply) => {
    const reason = await deps.readiness.reason();
    return reason === undefined
      ? sendSuccess(reply, successBody())
      : sendProblem(reply, new Problem('A920', `Not ready: ${reason}`, { retryAfterSeconds: 1 }));
  });

  app.get('/metrics', async (_request, reply) => {
    const { registry } = deps.metrics;
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
}
