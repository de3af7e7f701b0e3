import { Problem } from '../../domain/request/problem.ts';
import type { Queue } from '../../operate/queue.ts';
import { parseLimit } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const MOST_MESSAGES = 1000;

/** `/admin/v1/queue…`: how deep the queue is, its oldest messages, and what could not be settled. */
export function operatorQueueRoutes({
  route,
  queue,
}: {
  readonly route: OperatorRoute;
  readonly queue: Queue;
}): void {
  route('GET', '/admin/v1/queue', 'viewer', () => queue.depth());
  route('GET', '/admin/v1/queue/messages', 'viewer', async ({ query }) => {
    const limit = parseLimit(query.limit, MOST_MESSAGES);
    return limit instanceof Problem ? limit : { messages: await queue.oldest(limit) };
  });
  route('GET', '/admin/v1/queue/set-aside', 'viewer', () => queue.setAside());
}
