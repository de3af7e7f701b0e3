import type { Operator } from '../../operate/accounts.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/queue…`: how deep the queue is, and what could not be settled. */
export function operatorQueueRoutes({
  route,
  operator,
}: {
  readonly route: OperatorRoute;
  readonly operator: Operator;
}): void {
  route('GET', '/admin/v1/queue', () => operator.queue());
  route('GET', '/admin/v1/queue/set-aside', () => operator.setAside());
}
