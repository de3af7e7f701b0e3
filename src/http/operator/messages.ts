import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { type OperatorCancelling, parseCancelOrder } from '../../operate/cancel.ts';
import type { SightOf } from '../../operate/masking.ts';
import { exportMessages } from '../../operate/message-export.ts';
import type { Messages } from '../../operate/messages.ts';
import { parseResendOrder, type Resending } from '../../operate/resend.ts';
import { CsvFile } from './csv-file.ts';
import { parseLimit, parseObjectBody } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const MESSAGE = '/admin/v1/messages/:msgKey';
const SHORTEST_REASON = 5;
const LONGEST_REASON = 200;

/** `/admin/v1/messages…`: finding messages, everything about one, and what is masked of it. */
export function operatorMessagesRoutes({
  route,
  messages,
  sightOf,
  resending,
  operatorCancelling,
}: {
  readonly route: OperatorRoute;
  readonly messages: Messages;
  readonly sightOf: SightOf;
  readonly resending: Resending;
  readonly operatorCancelling: OperatorCancelling;
}): void {
  route('GET', '/admin/v1/messages', 'viewer', async ({ query }, _tools, { role }) => {
    const limit = parseLimit(query.limit);
    return limit instanceof Problem ? limit : messages.find(query, limit, sightOf(role));
  });
  route('GET', '/admin/v1/messages/export', 'viewer', async ({ query }, { record }, { role }, departure) => {
    const sight = sightOf(role);
    const file = await exportMessages(messages, query, sight, departure());
    if (file instanceof Problem) return file;
    await record('message.export', file.rows, sight === 'masked', query);
    return new CsvFile('messages.csv', file.text, file.next);
  });
  route('POST', '/admin/v1/messages/resend', 'operator', async (request, { record }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const order = parseResendOrder(body);
    if (order instanceof Problem) return order;
    const { results, sent } = await resending.resend(order);
    for (const [account, keys] of sent)
      await record('message.resend', account, keys, order.copy !== undefined);
    return { results };
  });
  route('POST', '/admin/v1/messages/cancel', 'operator', async (request, { record }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const order = parseCancelOrder(body);
    if (order instanceof Problem) return order;
    if ('query' in order && order.most === undefined) {
      const { cancellable, isMore } = await operatorCancelling.count(order);
      return { cancellable, cancelled: 0, tooLate: 0, isMore };
    }
    const { keys, cancelled, tooLate, isMore } = await operatorCancelling.cancel(order);
    const filters = isObject(body.filters) ? body.filters : undefined;
    for (const [account, own] of keys) await record('message.cancel', account, own, filters);
    return { cancellable: 0, cancelled, tooLate, isMore };
  });
  route('GET', MESSAGE, 'viewer', ({ params }, _tools, { role }) =>
    messages.detail(params.msgKey ?? '', sightOf(role)),
  );

  route('POST', `${MESSAGE}/reveal`, 'operator', async (request, { record }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const reason = parseReason(body.reason);
    if (reason instanceof Problem) return reason;
    const message = await messages.detail(request.params.msgKey ?? '', 'clear');
    if (message instanceof Problem) return message;
    // First the log, then the content: if the one cannot be written, the other is not shown.
    await record('personal.reveal', message.msgKey, message.account, reason);
    return message;
  });
}

export function parseReason(given: unknown): string | Problem {
  const reason = typeof given === 'string' ? given.trim() : '';
  const isReason = reason.length >= SHORTEST_REASON && reason.length <= LONGEST_REASON;
  return isReason && !/\p{Cc}/u.test(reason) && reason.isWellFormed()
    ? reason
    : new Problem('A300', `"reason" must be ${SHORTEST_REASON} to ${LONGEST_REASON} characters on one line`);
}
