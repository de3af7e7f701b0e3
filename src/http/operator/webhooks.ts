import { Problem } from '../../domain/request/problem.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseLimit } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const WEBHOOK = '/admin/v1/accounts/:id/webhook';

/** `/admin/v1/webhooks` and `/admin/v1/accounts/{id}/webhook…`: webhooks and their deliveries. */
export function operatorWebhooksRoutes({ route }: { readonly route: OperatorRoute }): void {
  route('GET', '/admin/v1/webhooks', 'viewer', async ({ query }, { webhooks }) => {
    const limit = parseLimit(query.limit);
    return limit instanceof Problem ? limit : webhooks.list(query, limit);
  });
  route('GET', WEBHOOK, 'viewer', ({ params }, { webhooks }) => webhooks.show(params.id ?? ''));
  route('POST', `${WEBHOOK}/test`, 'operator', ({ params }, { webhooks }) => webhooks.test(params.id ?? ''));
  route('POST', `${WEBHOOK}/secret`, 'admin', ({ params }, { webhooks }) => webhooks.rotate(params.id ?? ''));
  route('POST', `${WEBHOOK}/resume`, 'operator', ({ params }, { webhooks }) =>
    webhooks.resume(params.id ?? ''),
  );
  route('POST', `${WEBHOOK}/replay`, 'operator', async (request, { webhooks }) => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : webhooks.replay(request.params.id ?? '', body.json);
  });
}
