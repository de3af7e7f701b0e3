import { Problem } from '../../domain/request/problem.ts';
import type { Operator } from '../../operate/accounts.ts';
import { parseJsonBody } from '../json-body.ts';
import type { OperatorRoute } from './route.ts';

const CHAOS = '/admin/v1/simulator/chaos';

/** `/admin/v1/simulator/chaos`: failures that the simulated network injects. */
export function operatorChaosRoutes({
  route,
  operator,
}: {
  readonly route: OperatorRoute;
  readonly operator: Operator;
}): void {
  route('GET', CHAOS, async () => operator.chaos());
  route(
    'PUT',
    CHAOS,
    async request => {
      const body = parseJsonBody(request);
      return body instanceof Problem ? body : operator.setChaos(body.json);
    },
    { action: 'chaos.set', describe: (_request, data) => ({ details: data as object }) },
  );
  route('DELETE', CHAOS, async () => operator.setChaos({}), { action: 'chaos.reset' });
}
