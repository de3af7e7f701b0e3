import { Problem } from '../../domain/request/problem.ts';
import type { ChaosControl } from '../../operate/chaos.ts';
import { parseJsonBody } from '../json-body.ts';
import type { OperatorRoute } from './route.ts';

const CHAOS = '/admin/v1/simulator/chaos';

/** `/admin/v1/simulator/chaos`: failures that the simulated network injects. */
export function operatorChaosRoutes({
  route,
  chaos,
}: {
  readonly route: OperatorRoute;
  readonly chaos: ChaosControl;
}): void {
  route('GET', CHAOS, async () => chaos.current());
  route(
    'PUT',
    CHAOS,
    async request => {
      const body = parseJsonBody(request);
      return body instanceof Problem ? body : chaos.set(body.json);
    },
    { action: 'chaos.set', describe: (_request, data) => ({ details: data as object }) },
  );
  route('DELETE', CHAOS, async () => chaos.reset(), { action: 'chaos.reset' });
}
