import type { Role } from '../../domain/operator/role.ts';
import { Problem } from '../../domain/request/problem.ts';
import { shownUrl } from '../../operate/masking.ts';
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
  route('GET', WEBHOOK, 'viewer', async ({ params }, { webhooks }, { role }) =>
    shown(await webhooks.show(params.id ?? ''), role),
  );
  route('POST', `${WEBHOOK}/test`, 'operator', ({ params }, { webhooks }) => webhooks.test(params.id ?? ''));
  route('POST', `${WEBHOOK}/secret`, 'admin', ({ params }, { webhooks }) => webhooks.rotate(params.id ?? ''));
  route('POST', `${WEBHOOK}/resume`, 'operator', async ({ params }, { webhooks }, { role }) =>
    shown(await webhooks.resume(params.id ?? ''), role),
  );
  route('POST', `${WEBHOOK}/replay`, 'operator', async (request, { webhooks }) => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : webhooks.replay(request.params.id ?? '', body.json);
  });
}

function shown<View extends { readonly url: string | null }>(
  view: View | Problem,
  role: Role,
): View | Problem {
  return view instanceof Problem ? view : { ...view, url: shownUrl(view.url, role) };
}
