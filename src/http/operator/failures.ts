import type { Failures } from '../../operate/failures.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/failures`: what failed on a day, and how that compares with the days before. */
export function operatorFailuresRoutes(deps: {
  readonly route: OperatorRoute;
  readonly failures: Failures;
}): void {
  deps.route('GET', '/admin/v1/failures', 'viewer', ({ query }) => deps.failures.read(query));
}
