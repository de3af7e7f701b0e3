import { Problem } from '../../domain/problem.ts';
import type { Operator } from '../../operations/operate.ts';
import { parseJsonBody } from '../json-body.ts';
import type { OperatorRoute } from '../operator-route.ts';

/** `/admin/v1/…`: the operator's side, behind the admin token. */
export function adminRoutes(route: OperatorRoute, operator: Operator): void {
  route('GET', '/admin/v1/queue', () => operator.queue());
  route('GET', '/admin/v1/messages/:msgKey', request => operator.message(request.params.msgKey ?? ''));
  route('GET', '/admin/v1/simulator/chaos', async () => operator.chaos());
  route('PUT', '/admin/v1/simulator/chaos', async request => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : operator.setChaos(body.json);
  });
  route('DELETE', '/admin/v1/simulator/chaos', async () => operator.setChaos({}));
}
