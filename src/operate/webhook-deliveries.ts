/**
 * Deliveries as operators see them: what became of each, what it waits for, and what went back and forth.
 *
 * A next attempt never lies in the past. A delivery that is due and not sent waits for something, and that is named: its
 * turn, a receiver that keeps failing, or a webhook that is off.
 */
import type { Account } from '../domain/account/account.ts';
import type { AccountId } from '../domain/ids.ts';
import {
  type WebhookAttempt,
  type WebhookExchange,
  webhookIdOf,
  withoutExchange,
} from '../domain/reports/webhook.ts';
import { Problem } from '../domain/request/problem.ts';
import type {
  AttemptView,
  DeliveryDetailView,
  DeliverySummary,
  ExchangeView,
  TroubleView,
} from '../operations/webhooks.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import { wireReport } from '../report/wire-record.ts';
import type { DeliveryView, OpenCircuit, Store } from '../store/store.ts';

/** What keeps the deliveries of an account from being sent. */
export interface Hold {
  /** Why nothing is sent to its webhook; null if it is active. */
  readonly offReason: string | null;
  readonly circuit: OpenCircuit | undefined;
}

/** Of one circuit for each node: the one that is called next. */
export async function holdOf(store: Store, account: AccountId, offReason: string | null): Promise<Hold> {
  const [circuit] = offReason === null ? await store.webhooks.circuits(account) : [];
  return { offReason, circuit };
}

export function deliverySummary(
  delivery: DeliveryView,
  hold: Hold,
  now: number,
  formatTime: FormatTime,
): DeliverySummary {
  const { msgKey, step, account, state, attempts, recent } = delivery;
  const last = recent.at(-1);
  const { waitsFor, nextAt } = waitOf(delivery, hold, now);
  return {
    id: webhookIdOf(msgKey, step),
    account,
    msgKey,
    step,
    state,
    attempts,
    waitsFor,
    nextAt: nextAt === undefined ? null : formatTime(nextAt),
    lastAt: last ? formatTime(last.at) : null,
    lastStatus: last?.status ?? null,
    lastError: last?.error ?? null,
    recent: recent.map(attempt => ({ ...withoutExchange(attempt), at: formatTime(attempt.at) })),
  };
}

/** With everything that is kept of its attempts, newest first. */
export async function deliveryDetail(
  deps: { readonly store: Store; readonly clock: Clock; readonly formatTime: FormatTime },
  delivery: DeliveryView,
  hold: Hold,
): Promise<DeliveryDetailView> {
  const { store, clock, formatTime } = deps;
  const { recent: _, ...summary } = deliverySummary(delivery, hold, clock.now(), formatTime);
  const { msgKey, account, step } = delivery;
  const records = await store.reports.inquire({ account, lastOnly: false, msgKey, since: 0 });
  const record = records.find(one => one.step === step);
  const bodyIn = (format: WebhookExchange['format']) =>
    record ? JSON.stringify(wireReport(record, { reportFormat: format }, formatTime)) : null;
  return {
    ...summary,
    offReason: hold.offReason,
    trouble: hold.circuit ? troubleView(hold.circuit, clock.now(), formatTime) : null,
    reportedAt: formatTime(delivery.reportedAt),
    giveUpAt: formatTime(delivery.giveUpAt),
    history: delivery.recent.toReversed().map(attempt => attemptView(attempt, bodyIn, formatTime)),
  };
}

function attemptView(
  { exchange, ...attempt }: WebhookAttempt,
  bodyIn: (format: WebhookExchange['format']) => string | null,
  formatTime: FormatTime,
): AttemptView {
  return {
    ...attempt,
    at: formatTime(attempt.at),
    exchange: exchange ? exchangeView(exchange, bodyIn(exchange.format)) : null,
  };
}

export function exchangeView(exchange: WebhookExchange, body: string | null): ExchangeView {
  const { url, headers, sentMs, answeredMs, answer } = exchange;
  return { request: { url, headers, body }, answer, sentMs, answeredMs };
}

export function troubleView(
  { openedAt, at, probeAt, failures, error }: OpenCircuit,
  now: number,
  formatTime: FormatTime,
): TroubleView {
  return {
    since: formatTime(openedAt),
    failures,
    error,
    lastAt: formatTime(at),
    /** The pause is over: what falls due next is sent, as a probe. */
    nextAt: probeAt > now ? formatTime(probeAt) : null,
  };
}

/** What is due is sent at once, unless something keeps it: then it has no next attempt, or that of the circuit. */
function waitOf(
  { nextAt, isHeld, state }: DeliveryView,
  { offReason, circuit }: Hold,
  now: number,
): { waitsFor: DeliverySummary['waitsFor']; nextAt: number | undefined } {
  if (nextAt === undefined) return { waitsFor: null, nextAt: undefined };
  if (offReason !== null || state === 'off') return { waitsFor: 'webhook', nextAt: undefined };
  if (isHeld) return { waitsFor: 'call', nextAt: undefined };
  const pausedUntil = circuit?.probeAt ?? 0;
  if (pausedUntil > now && pausedUntil >= nextAt) return { waitsFor: 'circuit', nextAt: pausedUntil };
  return nextAt > now ? { waitsFor: 'time', nextAt } : { waitsFor: 'turn', nextAt: undefined };
}

export function noDelivery(id: string): Problem {
  return new Problem('A300', `There is no delivery "${id}"; deliveries are kept for a week after they end`, {
    status: 404,
  });
}

/** Why nothing is sent, as far as the account itself says. */
export function offByAccount({ blocked, settings }: Account): string | null {
  if (settings.reportMode !== 'webhook') return 'The account is in polling mode';
  if (settings.webhookUrl === undefined) return 'The account has no webhook URL';
  return blocked ? 'The account is blocked' : null;
}
