import { Problem } from '../../domain/request/problem.ts';
import type { Messages } from '../../operate/messages.ts';
import { parseLimit } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/messages…`: finding messages, and everything about one. */
export function operatorMessagesRoutes({
  route,
  messages,
}: {
  readonly route: OperatorRoute;
  readonly messages: Messages;
}): void {
  route('GET', '/admin/v1/messages', 'viewer', async ({ query }) => {
    const limit = parseLimit(query.limit);
    return limit instanceof Problem ? limit : messages.find(query, limit);
  });
  route('GET', '/admin/v1/messages/:msgKey', 'viewer', ({ params }) => messages.detail(params.msgKey ?? ''));
}
