import type { Doctor } from '../../operate/doctor.ts';
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

  // One examination at a time: whoever asks meanwhile gets the same.
  let examining: Promise<object> | undefined;
  route('GET', '/admin/v1/doctor', 'viewer', () => {
    examining ??= doctor()
      .then(findings => ({ findings }))
      .finally(() => {
        examining = undefined;
      });
    return examining;
  });
}
