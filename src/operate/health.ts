/** What operators ask of the health of a node and of the installation. */
import type { health as declared, Finding, Scope } from '../operations/health.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { Doctor } from './doctor.ts';
import type { Handlers } from './perform.ts';
import type { Readiness } from './readiness.ts';

export function healthHandlers({
  readiness,
  doctor,
}: {
  readonly readiness: Pick<Readiness, 'health'>;
  readonly doctor: Doctor;
}): Handlers<OperationsOf<typeof declared>> {
  // One examination of each kind at a time: whoever asks meanwhile gets the same.
  const examining = new Map<Scope, Promise<readonly Finding[]>>();
  return {
    'GET /health': () => readiness.health(),
    async 'GET /doctor'({ scope = 'all' }) {
      const running = examining.get(scope);
      if (running) return { findings: await running };
      const started = doctor(scope).finally(() => examining.delete(scope));
      examining.set(scope, started);
      return { findings: await started };
    },
  };
}
