import { Problem } from '../../domain/request/problem.ts';
import { parseJsonBody } from '../json-body.ts';
import type { OperatorRoute } from './route.ts';

const CHAOS = '/admin/v1/simulator/chaos';

/** `/admin/v1/simulator/chaos`: failures that the simulated network injects. */
export function operatorChaosRoutes({ route }: { readonly route: OperatorRoute }): void {
  route('GET', CHAOS, 'viewer', async (_request, { chaos }) => chaos.current());
  route('PUT', CHAOS, 'operator', async (request, { chaos }) => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : chaos.set(body.json);
  });
  route('DELETE', CHAOS, 'operator', async (_request, { chaos }) => chaos.reset());
}
