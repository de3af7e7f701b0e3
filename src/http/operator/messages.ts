import { CANCELLABLE, type Cancelling } from '../../deliver/cancel.ts';
import {
  isSettleable,
  mayEndWith,
  type SettleByHand,
  type ToldOutcome,
} from '../../deliver/settle-by-hand.ts';
import { SETTLEABLE } from '../../domain/delivery/lifecycle.ts';
import { DELIVERED, isCarriersFailure } from '../../domain/reports/report-codes.ts';
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { SightOf } from '../../operate/masking.ts';
import { exportMessages } from '../../operate/message-export.ts';
import {
  isCount,
  type MessageOrders,
  type OrderRules,
  parseMessageOrder,
} from '../../operate/message-order.ts';
import type { Messages } from '../../operate/messages.ts';
import { parseResendOrder, type Resending } from '../../operate/resend.ts';
import { CsvFile } from './csv-file.ts';
import { parseLimit, parseObjectBody } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const CANCEL_RULES: OrderRules = {
  states: CANCELLABLE,
  usualStates: CANCELLABLE,
  refusal: `Only messages that are ${CANCELLABLE.join(' or ')} can be cancelled`,
};
/** Of a message that was taken, a receipt may still come: it is settled only where that is asked for. */
const SETTLE_RULES: OrderRules = {
  states: SETTLEABLE,
  usualStates: ['unknown'],
  refusal: `Only messages that are ${SETTLEABLE.join(' or ')} can be settled`,
};
const MESSAGE = '/admin/v1/messages/:msgKey';
const SHORTEST_REASON = 5;
const LONGEST_REASON = 200;

/** `/admin/v1/messages…`: finding messages, everything about one, and what is masked of it. */
export function operatorMessagesRoutes({
  route,
  messages,
  sightOf,
  resending,
  messageOrders,
  cancelling,
  settleByHand,
}: {
  readonly route: OperatorRoute;
  readonly messages: Messages;
  readonly sightOf: SightOf;
  readonly resending: Resending;
  readonly messageOrders: MessageOrders;
  readonly cancelling: Cancelling;
  readonly settleByHand: SettleByHand;
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
    const order = parseMessageOrder(body, CANCEL_RULES);
    if (order instanceof Problem) return order;
    if (isCount(order)) {
      const { count, isMore } = await messageOrders.count(order);
      return { cancellable: count, cancelled: 0, tooLate: 0, isMore };
    }
    const done = await messageOrders.carryOut(order, messages => cancelling.found(messages));
    const filters = isObject(body.filters) ? body.filters : undefined;
    for (const [account, own] of done.keys) await record('message.cancel', account, own, filters);
    if (done.failure !== undefined) throw done.failure;
    return { cancellable: 0, cancelled: done.count, tooLate: done.tooLate, isMore: done.isMore };
  });
  route('POST', '/admin/v1/messages/settle', 'operator', async (request, { record }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const order = parseMessageOrder(body, SETTLE_RULES);
    if (order instanceof Problem) return order;
    if (isCount(order)) {
      const { count, isMore } = await messageOrders.count(order);
      return { settleable: count, settled: 0, tooLate: 0, isMore };
    }
    const told = parseOutcome(body);
    if (told instanceof Problem) return told;
    const reason = parseReason(body.reason);
    if (reason instanceof Problem) return reason;
    const outcome: ToldOutcome = { ...told, reason };
    const stranger = await messageOrders.find(
      order,
      message => isSettleable(message) && !mayEndWith(message, outcome.failedWith),
    );
    if (stranger) {
      const { msgKey, channels, step } = stranger;
      return new Problem(
        'A300',
        `"code" ${outcome.failedWith} is not a code of ${channels[step]}, the channel of ${msgKey}`,
      );
    }
    const filters = isObject(body.filters) ? body.filters : undefined;
    const settling = { code: outcome.failedWith ?? DELIVERED, reason, filters };
    // The log has the intent, whatever happens then.
    const messages = 'msgKeys' in order ? order.msgKeys.length : (order.most ?? 0);
    await record('message.settle', undefined, settling, { stage: 'ordered', messages });
    const done = await messageOrders.carryOut(order, found => settleByHand(found, outcome));
    for (const [account, msgKeys] of done.keys) {
      await record('message.settle', account, settling, { stage: 'done', messages: msgKeys.length, msgKeys });
    }
    if (done.failure !== undefined) throw done.failure;
    if (done.count === 0) await record('message.settle', undefined, settling, { stage: 'done', messages: 0 });
    return { settleable: 0, settled: done.count, tooLate: done.tooLate, isMore: done.isMore };
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

/** What the carrier says became of the messages. */
function parseOutcome({
  outcome,
  code,
}: Readonly<Record<string, unknown>>): Pick<ToldOutcome, 'failedWith'> | Problem {
  if (outcome === 'delivered') {
    return code === undefined
      ? { failedWith: undefined }
      : new Problem('A300', '"code" is for messages that failed');
  }
  if (outcome !== 'failed') return new Problem('A300', '"outcome" must be delivered or failed');
  return isCarriersFailure(code)
    ? { failedWith: code }
    : new Problem('A300', '"code" must be the report code of a failure such as 23001');
}

export function parseReason(given: unknown): string | Problem {
  const reason = typeof given === 'string' ? given.trim() : '';
  const isReason = reason.length >= SHORTEST_REASON && reason.length <= LONGEST_REASON;
  return isReason && !/\p{Cc}/u.test(reason) && reason.isWellFormed()
    ? reason
    : new Problem('A300', `"reason" must be ${SHORTEST_REASON} to ${LONGEST_REASON} characters on one line`);
}
