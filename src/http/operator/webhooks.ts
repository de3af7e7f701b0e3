import type { Role } from '../../domain/operator/role.ts';
import { Problem } from '../../domain/request/problem.ts';
import { type SightOf, shownExchange, shownUrl } from '../../operate/masking.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseLimit } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const WEBHOOK = '/admin/v1/accounts/:id/webhook';
const DELIVERY = '/admin/v1/webhooks/:deliveryId';

/** `/admin/v1/webhooks…` and `/admin/v1/accounts/{id}/webhook…`: webhooks and their deliveries. */
export function operatorWebhooksRoutes({
  route,
  sightOf,
}: {
  readonly route: OperatorRoute;
  readonly sightOf: SightOf;
}): void {
  route('GET', '/admin/v1/webhooks', 'viewer', async ({ query }, { webhooks }) => {
    const limit = parseLimit(query.limit);
    return limit instanceof Problem ? limit : webhooks.list(query, limit);
  });
  route('GET', DELIVERY, 'viewer', async ({ params }, { webhooks }, { role }) => {
    const delivery = await webhooks.delivery(params.deliveryId ?? '');
    if (delivery instanceof Problem) return delivery;
    const history = delivery.history.map(attempt => ({
      ...attempt,
      exchange: shownExchange(attempt.exchange, role, sightOf(role)),
    }));
    return { ...delivery, history };
  });
  route('POST', `${DELIVERY}/retry`, 'operator', ({ params }, { webhooks }) =>
    webhooks.retry(params.deliveryId ?? ''),
  );
  route('GET', WEBHOOK, 'viewer', async ({ params }, { webhooks }, { role }) =>
    shown(await webhooks.show(params.id ?? ''), role),
  );
  route('POST', `${WEBHOOK}/test`, 'operator', async ({ params }, { webhooks }, { role }) => {
    const result = await webhooks.test(params.id ?? '');
    if (result instanceof Problem) return result;
    return { ...result, exchange: shownExchange(result.exchange, role, sightOf(role)) };
  });
  route('POST', `${WEBHOOK}/secret`, 'admin', ({ params }, { webhooks }) => webhooks.rotate(params.id ?? ''));
  route('POST', `${WEBHOOK}/resume`, 'operator', async ({ params }, { webhooks }, { role }) =>
    shown(await webhooks.resume(params.id ?? ''), role),
  );
  route('POST', `${WEBHOOK}/replay`, 'operator', async (request, { webhooks }) => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : webhooks.replay(request.params.id ?? '', body.json);
  });
  route('POST', `${WEBHOOK}/retry`, 'operator', async (request, { webhooks }) => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : webhooks.retryRange(request.params.id ?? '', body.json);
  });
}

function shown<View extends { readonly url: string | null }>(
  view: View | Problem,
  role: Role,
): View | Problem {
  return view instanceof Problem ? view : { ...view, url: shownUrl(view.url, role) };
}
