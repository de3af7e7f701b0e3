import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import type { LiveFeed, Sink } from '../../observe/live-feed.ts';
import { sendProblem } from '../envelope.ts';
import type { OperatorGuard } from './guard.ts';
import { parseText } from './list-query.ts';

/** `GET /admin/v1/events`: the live feed as server-sent events, until the reader leaves. */
export function operatorEventsRoutes({
  app,
  liveFeed,
  guard,
}: {
  readonly app: FastifyInstance;
  readonly liveFeed: LiveFeed;
  readonly guard: OperatorGuard;
}): void {
  app.get<{ Querystring: Record<string, unknown> }>('/admin/v1/events', async (request, reply) => {
    const who = await guard(request);
    if (who instanceof Problem) return sendProblem(reply, who);
    const { raw } = reply;
    const sink: Sink = {
      send: (event, data) => raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      keepAlive: () => raw.write(': still here\n\n'),
      isBehind: () => raw.writableNeedDrain,
      end: () => raw.end(),
    };
    const stop = liveFeed.watch(sink, parseText(request.query, 'account'));
    if (!stop) {
      const problem = new Problem('A020', 'Too many watchers: close one', { retryAfterSeconds: 5 });
      return sendProblem(reply, problem);
    }
    reply.hijack();
    raw.on('close', stop);
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies that buffer answers would delay the events.
      'x-accel-buffering': 'no',
    });
    raw.write('retry: 2000\n\n');
    return reply;
  });
  // A connection that is never idle would keep the server from closing.
  app.addHook('preClose', async () => liveFeed.close());
}
