import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import { backgroundTask } from '../../observe/background.ts';
import type { Events } from '../../observe/events.ts';
import type { LiveFeed, Sink } from '../../observe/live-feed.ts';
import { type SightOf, shownLive } from '../../operate/masking.ts';
import type { Clock } from '../../platform/clock.ts';
import { sendProblem } from '../envelope.ts';
import { hasLeft } from './departure.ts';
import type { OperatorGuard } from './guard.ts';
import { parseText } from './list-query.ts';

/** `GET /admin/v1/events`: the live feed as server-sent events, until the reader leaves or his token ends. */
export function operatorEventsRoutes({
  app,
  liveFeed,
  guard,
  clock,
  events,
  sightOf,
}: {
  readonly app: FastifyInstance;
  readonly liveFeed: LiveFeed;
  readonly guard: OperatorGuard;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
  readonly sightOf: SightOf;
}): void {
  app.get<{ Querystring: Record<string, unknown> }>('/admin/v1/events', async (request, reply) => {
    const operator = await guard(request, 'viewer');
    if (operator instanceof Problem) return sendProblem(reply, operator);
    if (hasLeft(request)) return reply.hijack();
    const sight = sightOf(operator.role);
    const { raw } = reply;
    const sink: Sink = {
      send: (event, data) => raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      keepAlive: () => raw.write(': still here\n\n'),
      isBehind: () => raw.writableNeedDrain,
      end: () => raw.end(),
    };
    const stop = liveFeed.watch(sink, parseText(request.query, 'account'), row => shownLive(row, sight));
    if (!stop) {
      const problem = new Problem('A020', 'Too many watchers: close one', { retryAfterSeconds: 5 });
      return sendProblem(reply, problem);
    }
    reply.hijack();
    // A store that does not answer has revoked nothing; the feed ends every stream after a while.
    const watch = backgroundTask({ clock, events }, 'look up a watcher', async () => {
      if ((await guard(request, 'viewer')) instanceof Problem) raw.end();
    });
    watch.start();
    raw.on('close', () => {
      stop();
      void watch.stop();
    });
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
