import type { Readiness } from '../../operate/readiness.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/health`: how this node is doing, and what to do about it. */
export function operatorHealthRoutes({
  route,
  readiness,
}: {
  readonly route: OperatorRoute;
  readonly readiness: Pick<Readiness, 'health'>;
}): void {
  route('GET', '/admin/v1/health', 'viewer', () => readiness.health());
}
