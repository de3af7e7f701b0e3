import { Problem } from '../../domain/request/problem.ts';
import type { Doctor } from '../../operate/doctor.ts';
import { SCOPES, type Scope } from '../../operate/doctor-checks.ts';
import type { Readiness } from '../../operate/readiness.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/health` and `/admin/v1/doctor`: how this node and the installation are doing, and what to do about it. */
export function operatorHealthRoutes({
  route,
  readiness,
  doctor,
}: {
  readonly route: OperatorRoute;
  readonly readiness: Pick<Readiness, 'health'>;
  readonly doctor: Doctor;
}): void {
  route('GET', '/admin/v1/health', 'viewer', () => readiness.health());

  // One examination of each kind at a time: whoever asks meanwhile gets the same.
  const examining = new Map<Scope, Promise<object>>();
  route('GET', '/admin/v1/doctor', 'viewer', async ({ query }) => {
    const scope = SCOPES.find(known => known === (query.scope ?? 'all'));
    if (scope === undefined) return new Problem('A300', `"scope" must be one of ${SCOPES.join(', ')}`);
    const running = examining.get(scope);
    if (running) return running;
    const started = doctor(scope)
      .then(findings => ({ findings }))
      .finally(() => examining.delete(scope));
    examining.set(scope, started);
    return started;
  });
}
