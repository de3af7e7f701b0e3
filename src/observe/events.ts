/**
 * Every event of the business, one method for each: its log line and its counter together.
 * Texts of messages are never logged, and numbers only masked. Nothing here throws.
 */
import type { Channel } from '../domain/channels/channel.ts';
import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { AccountId, MsgKey, RequestId } from '../domain/ids.ts';
import type { InboundMessage } from '../domain/inbound/inbound.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { WebhookAttempt } from '../domain/reports/webhook.ts';
import { maskNumber } from '../domain/request/phone-number.ts';
import type { ResultCode } from '../domain/request/result-codes.ts';
import type { Clock } from '../platform/clock.ts';
import { type Logger, loggedMessage } from '../platform/logger.ts';
import type { DurabilityRisk, FileRow } from '../store/store.ts';
import type { LiveFeed } from './live-feed.ts';
import type { Metrics } from './metrics.ts';
import type { Statistics } from './statistics.ts';

export type Events = ReturnType<typeof createEvents>;

/** Binding the labels of a metric costs more than counting, so each combination is bound once. */
function boundByLabel<K, V>(bind: (key: K) => V): (key: K) => V {
  const bound = new Map<K, V>();
  return key => {
    const known = bound.get(key);
    if (known !== undefined) return known;
    const fresh = bind(key);
    bound.set(key, fresh);
    return fresh;
  };
}

function split(key: string): [string, string] {
  const [first = '', second = ''] = key.split(' ');
  return [first, second];
}

/** A notice that comes in floods, such as one for each receipt, is logged this often and counted always. */
const NOTICE_INTERVAL_MS = 1000;
/** Notices that somebody must look at: nothing goes out, or comes back, until then. */
const LOUD_NOTICES: ReadonlySet<string> = new Set(['accountRefused']);

export function createEvents(deps: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly statistics: Statistics;
  readonly liveFeed: LiveFeed;
}) {
  const { log, metrics, clock, statistics, liveFeed: live } = deps;
  const noticed = new Map<string, { loggedAt: number; unlogged: number }>();
  let storeTrouble: { loggedAt: number; unlogged: number } | undefined;

  const acceptedOn = boundByLabel((channel: Channel) => metrics.accepted.labels(channel));
  const submittedTo = boundByLabel((key: string) => metrics.submitted.labels(...split(key)));
  const refusedAt = boundByLabel((key: string) => metrics.refused.labels(...split(key)));
  const endedWith = boundByLabel((key: string) => metrics.ended.labels(...split(key)));
  const settledAs = boundByLabel((settled: string) => metrics.receipts.labels(settled));
  const deliverySeconds = metrics.deliverySeconds.series();
  const webhookSeconds = metrics.webhookSeconds.series();
  const isDebug = log.isLevelEnabled('debug');

  return {
    accepted(account: AccountId, channel: Channel, messages: readonly { msgKey: MsgKey; to: string }[]) {
      acceptedOn(channel).inc(messages.length);
      statistics.accepted(messages.length);
      if (live.isWatched) live.accepted(account, channel, messages);
      if (!isDebug) return;
      for (const { msgKey, to } of messages) {
        log.debug({ event: 'accepted', account, channel, msgKey, to: maskNumber(to) });
      }
    },
    refused(route: string, code: ResultCode) {
      refusedAt(`${route} ${code}`).inc();
      if (code === 'A999') metrics.internalErrors.inc();
      if (isDebug) log.debug({ event: 'refused', route, code });
    },
    /** One of several in a combined send. */
    recipientRefused(code: ResultCode) {
      metrics.recipientsRefused.inc({ code });
    },
    submitted(step: LiveStep, answer: string) {
      const { msgKey, attempt, carrier } = step;
      submittedTo(`${carrier} ${answer}`).inc();
      if (live.isWatched) live.submitted(step, answer);
      if (isDebug)
        log.debug({
          ...{ event: 'submitted', msgKey, step: step.step, attempt, carrier, answer },
          to: maskNumber(step.to),
        });
    },
    ended(report: ReportRecord) {
      const { msgKey, step, serviceType, reportCode } = report;
      endedWith(`${serviceType} ${reportCode}`).inc();
      statistics.ended(report);
      if (live.isWatched) live.ended(report);
      if (report.sentAt !== undefined) deliverySeconds.observe((report.reportedAt - report.sentAt) / 1000);
      if (isDebug) log.debug({ event: 'ended', msgKey, step, serviceType, reportCode });
    },
    lateDelivery(record: ReportRecord) {
      const { msgKey, account, serviceType } = record;
      log.info({ event: 'lateDelivery', msgKey, account, serviceType });
      if (live.isWatched) live.lateDelivery(record);
    },
    receiptSettled({ carrier, ref }: { carrier: string; ref: string }, settled: string) {
      settledAs(settled).inc();
      if (isDebug) log.debug({ event: 'receipt', carrier, ref, settled });
    },
    /** A message of a person; not new if the carrier has repeated it. */
    inbound(message: Pick<InboundMessage, 'msgKey' | 'account' | 'carrier' | 'from'>, isNew: boolean) {
      const { msgKey, account, carrier, from } = message;
      const result = isNew ? (account === undefined ? 'unmatched' : 'matched') : 'repeated';
      metrics.inbound.inc({ carrier, result });
      if (isDebug) log.debug({ event: 'inbound', msgKey, account, carrier, from: maskNumber(from), result });
    },
    carrierNoticed(
      carrier: string,
      notice: string,
      details: Readonly<Record<string, string | number | boolean>> = {},
    ) {
      metrics.carrierNotices.inc({ carrier, notice });
      const now = clock.monotonic();
      const last = noticed.get(`${carrier} ${notice}`);
      if (last && now - last.loggedAt < NOTICE_INTERVAL_MS) {
        last.unlogged++;
        return;
      }
      noticed.set(`${carrier} ${notice}`, { loggedAt: now, unlogged: 0 });
      const line = {
        event: 'carrier',
        carrier,
        notice,
        ...details,
        ...(last?.unlogged && { more: last.unlogged }),
      };
      if (LOUD_NOTICES.has(notice)) log.error(line);
      else log.info(line);
    },
    fileStored({ account, service, bytes }: FileRow) {
      log.debug({ event: 'fileStored', account, service, bytes });
    },
    filesForgotten(contents: number) {
      log.info({ event: 'filesForgotten', contents });
    },
    setAside({ kind }: { kind: string }, error: unknown) {
      metrics.setAside.inc({ kind });
      log.error({ event: 'setAside', kind, err: error });
    },
    durabilityChanged(risks: readonly DurabilityRisk[]) {
      metrics.durabilityRisks.set(risks.length);
      if (risks.length === 0) log.info({ event: 'durable' });
      else log.warn({ event: 'notDurable', risks });
    },
    strayClaims(steps: number) {
      metrics.strayClaims.inc(steps);
      log.warn({ event: 'strayClaims', steps });
    },
    clockSet(ms: number) {
      metrics.clockSet.inc();
      log.warn({ event: 'clockSet', ms });
    },
    takenOver(steps: number) {
      log.info({ event: 'takenOver', steps });
    },
    reloaded(added: readonly string[], removed: readonly string[]) {
      log.info({ event: 'reloaded', added, removed });
    },
    tokenIssued(account: AccountId) {
      log.debug({ event: 'tokenIssued', account });
    },
    tokenRefused(address: string, code: string) {
      log.info({ event: 'tokenRefused', address, code });
    },
    operatorRefused(address: string) {
      log.info({ event: 'operatorRefused', address });
    },
    reportsFetched(account: AccountId, records: number) {
      metrics.reported.inc(records);
      log.debug({ event: 'reportsFetched', account, records });
    },
    webhookCalled(account: AccountId, msgKey: MsgKey, outcome: string, attempt: WebhookAttempt) {
      const { status, error, durationMs } = attempt;
      metrics.webhookAttempts.inc({ outcome });
      webhookSeconds.observe(durationMs / 1000);
      if (isDebug) log.debug({ event: 'webhookCalled', account, msgKey, outcome, status, error, durationMs });
    },
    webhookSwitchedOff(account: AccountId) {
      log.warn({ event: 'webhookSwitchedOff', account, status: 410 });
    },
    webhookGivenUp(account: AccountId, msgKey: MsgKey) {
      log.warn({ event: 'webhookGivenUp', account, msgKey });
    },
    webhookHeld(account: AccountId, why: string) {
      log.warn({ event: 'webhookHeld', account, why });
    },
    /** A request was refused because of the store. While the store is away that is every request, so the log is thinned. */
    storeFailed(error: Error) {
      const now = clock.monotonic();
      if (storeTrouble && now - storeTrouble.loggedAt < NOTICE_INTERVAL_MS) {
        storeTrouble.unlogged++;
        return;
      }
      const more = storeTrouble?.unlogged ?? 0;
      storeTrouble = { loggedAt: now, unlogged: 0 };
      log.error({ event: 'storeFailed', reason: loggedMessage(error), ...(more > 0 && { more }) });
    },
    /** The outcome of an accept whose commit was not answered. */
    doubtResolved(requestId: RequestId, outcome: 'stored' | 'notStored' | 'withdrawn' | 'kept') {
      metrics.doubtfulAccepts.inc({ outcome });
      // The client was told that it was refused, and it is sent all the same.
      if (outcome === 'kept') log.warn({ event: 'doubtResolved', requestId, outcome });
      else log.info({ event: 'doubtResolved', requestId, outcome });
    },
    failed(where: string, error: unknown, details: Readonly<Record<string, unknown>> = {}) {
      metrics.failures.inc({ where });
      log.error({ event: 'failed', where, ...details, err: error });
    },
  };
}
