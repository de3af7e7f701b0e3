import type { Queue } from '../../operate/queue.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/queue…`: how deep the queue is, and what could not be settled. */
export function operatorQueueRoutes({
  route,
  queue,
}: {
  readonly route: OperatorRoute;
  readonly queue: Queue;
}): void {
  route('GET', '/admin/v1/queue', 'viewer', () => queue.depth());
  route('GET', '/admin/v1/queue/set-aside', 'viewer', () => queue.setAside());
}
