import { Problem } from '../../domain/request/problem.ts';
import type { Operator } from '../../operate/accounts.ts';
import type { Messages } from '../../operate/messages.ts';
import type { Readiness } from '../../operate/readiness.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseLimit } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const CHAOS = '/admin/v1/simulator/chaos';

/** `/admin/v1/…`: health, the queue, messages, and chaos in the simulated network. */
export function adminRoutes(
  route: OperatorRoute,
  {
    operator,
    messages,
    readiness,
  }: { readonly operator: Operator; readonly messages: Messages; readonly readiness: Readiness },
): void {
  route('GET', '/admin/v1/health', () => readiness.health());
  route('GET', '/admin/v1/queue', () => operator.queue());
  route('GET', '/admin/v1/queue/set-aside', () => operator.setAside());
  route('GET', '/admin/v1/messages', async ({ query }) => {
    const limit = parseLimit(query.limit);
    return limit instanceof Problem ? limit : messages.find(query, limit);
  });
  route('GET', '/admin/v1/messages/:msgKey', ({ params }) => messages.detail(params.msgKey ?? ''));
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
