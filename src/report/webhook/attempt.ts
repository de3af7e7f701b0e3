/** One attempt at a claimed delivery: call the receiver, and decide what to do with the record next. */
import type { Account } from '../../domain/account/account.ts';
import {
  type DeliveryState,
  LAST_ATTEMPT_GRACE_MS,
  nextAttemptAt,
  type WebhookAttempt,
  webhookIdOf,
} from '../../domain/reports/webhook.ts';
import type { Events } from '../../observe/events.ts';
import { startSpan } from '../../observe/spans.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import type { ClaimedDelivery } from '../../store/store.ts';
import { wireInbound } from '../wire-inbound.ts';
import { wireReport } from '../wire-record.ts';
import type { CallWebhook, WebhookTarget } from './call.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Events;
  readonly callWebhook: CallWebhook;
  readonly formatTime: FormatTime;
}

export interface LaneTarget extends WebhookTarget {
  readonly account: Account;
}

/** `skipped`: the receiver was not called. */
export interface Attempted {
  readonly outcome: 'delivered' | 'failed' | 'gone' | 'skipped';
  readonly state: DeliveryState;
  /** When to try again, or when it ended. */
  readonly at: number;
  readonly attempt: WebhookAttempt | undefined;
}

export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  target: LaneTarget,
): Promise<Attempted> {
  const { clock, random, events, callWebhook, formatTime } = deps;
  const { msgKey, step, record, giveUpAt } = delivery;
  const { id, settings } = target.account;
  // While the time is in doubt, no window ends.
  const windowEnd = () => (clock.trusted() === undefined ? Number.POSITIVE_INFINITY : giveUpAt);
  const isLate = clock.now() - windowEnd() > LAST_ATTEMPT_GRACE_MS;
  if (!record || isLate) {
    return { outcome: 'skipped', state: 'failed', at: clock.now(), attempt: undefined };
  }
  const wire =
    'reportCode' in record ? wireReport(record, settings, formatTime) : wireInbound(record, formatTime);
  const body = JSON.stringify(wire);
  const trace = 'reportCode' in record ? record.traceparent : undefined;
  const span = startSpan('webhook', trace, { 'bongsu.msg_key': msgKey });
  const { outcome, attempt, askedMs } = await callWebhook(target, {
    webhookId: webhookIdOf(msgKey, step),
    msgKey,
    body,
    format: settings.reportFormat,
    traceparent: span.traceparent,
  });
  span.end(outcome === 'delivered' ? undefined : outcome);
  events.webhookCalled(id, msgKey, outcome, attempt);
  const now = clock.now();
  if (outcome === 'delivered') return { outcome, state: 'delivered', at: now, attempt };
  if (outcome === 'gone') return { outcome, state: 'pending', at: now, attempt };
  const order = { attempts: delivery.attempts + 1, now, jitter: random.fraction(), askedMs };
  const nextAt = nextAttemptAt({ ...order, giveUpAt: windowEnd() });
  if (nextAt !== undefined) return { outcome: 'failed', state: 'pending', at: nextAt, attempt };
  events.webhookGivenUp(id, msgKey);
  return { outcome: 'failed', state: 'failed', at: now, attempt };
}
