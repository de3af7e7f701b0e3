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
import type { Logger } from '../platform/logger.ts';
import type { DurabilityRisk, FileRow, TakenOver } from '../store/store.ts';
import { StoreFault } from '../store/store-fault.ts';
import type { LiveFeed } from './live-feed.ts';
import type { Metrics } from './metrics.ts';
import type { Statistics } from './statistics.ts';
import { StoreOutage } from './store-outage.ts';

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
/** Notices of a carrier that are more than information: its trouble, and the end of it, at the same level. */
const NOTICE_LEVELS: ReadonlyMap<string, 'error' | 'warn'> = new Map([
  // Nothing goes out, or comes back, until somebody looks at it.
  ['accountRefused', 'error'],
  ['bindFailed', 'warn'],
  ['linkLost', 'warn'],
  ['boundAgain', 'warn'],
  ['noResponse', 'warn'],
  ['resting', 'warn'],
  ['recovered', 'warn'],
  ['slowed', 'warn'],
  ['pollFailed', 'warn'],
  ['pollRecovered', 'warn'],
  ['paused', 'warn'],
  ['resumed', 'warn'],
]);

export function createEvents(deps: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly statistics: Statistics;
  readonly liveFeed: LiveFeed;
}) {
  const { log, metrics, clock, statistics, liveFeed: live } = deps;
  const noticed = new Map<string, { loggedAt: number; unlogged: number }>();
  const outage = new StoreOutage(log, clock);
  let doubted: string | undefined;

  const acceptedOn = boundByLabel((channel: Channel) => metrics.accepted.labels(channel));
  const submittedTo = boundByLabel((key: string) => metrics.submitted.labels(...split(key)));
  const refusedAt = boundByLabel((key: string) => metrics.refused.labels(...split(key)));
  const endedWith = boundByLabel((key: string) => metrics.ended.labels(...split(key)));
  const settledAs = boundByLabel((key: string) => metrics.receipts.labels(...split(key)));
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
    /** An alert sees how much a counter grew, and of one that begins with many it sees nothing. */
    carrierAdded(carrier: string, hasReceipts: boolean) {
      for (const answer of ['accepted', 'unknown']) submittedTo(`${carrier} ${answer}`).inc(0);
      metrics.takenOver.inc({ carrier, outcome: 'unknown' }, 0);
      if (hasReceipts) settledAs(`${carrier} ended`).inc(0);
    },
    receiptSettled({ carrier, ref }: { carrier: string; ref: string }, settled: string) {
      settledAs(`${carrier} ${settled}`).inc();
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
      // Each bind has its own trouble.
      const key = `${carrier} ${notice} ${details.bind ?? ''}`;
      const last = noticed.get(key);
      if (last && now - last.loggedAt < NOTICE_INTERVAL_MS) {
        last.unlogged++;
        return;
      }
      noticed.set(key, { loggedAt: now, unlogged: 0 });
      const more = last?.unlogged;
      log[NOTICE_LEVELS.get(notice) ?? 'info']({
        event: 'carrier',
        carrier,
        notice,
        ...details,
        ...(more && { more }),
      });
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
      if (risks.length === 0) log.warn({ event: 'durable' });
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
    /** Called every second with the reason why the time is in doubt: its begin and its end are logged. */
    clockLooked(doubt: string | undefined) {
      if (doubt !== undefined && doubted === undefined) log.warn({ event: 'clockDoubted', reason: doubt });
      if (doubt === undefined && doubted !== undefined) log.warn({ event: 'clockTrusted' });
      doubted = doubt;
    },
    /** Messages that a dead node held: what it may have submitted becomes unknown. */
    takenOver(from: string, taken: readonly Omit<TakenOver, 'node'>[]) {
      const counts = { repeated: {} as Record<string, number>, unknown: {} as Record<string, number> };
      for (const { carrier, outcome, steps } of taken) {
        metrics.takenOver.inc({ carrier, outcome }, steps);
        counts[outcome][carrier] = steps;
      }
      const steps = taken.reduce((sum, each) => sum + each.steps, 0);
      log.warn({ event: 'takenOver', from, steps, ...counts });
    },
    /** Another node died, or is there again. */
    nodeChanged(name: string, state: 'nodeGone' | 'nodeBack') {
      log.warn({ event: state, name });
    },
    /** An operator takes this node out of service, or has put it back. */
    draining(state: 'draining' | 'drained' | 'sendsAgain', inFlight: number) {
      log.warn({ event: state, inFlight });
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
    /** Its receiver keeps failing, and is called only now and then from now on. */
    webhookFails(account: AccountId, error: string) {
      log.warn({ event: 'webhookFails', account, error });
    },
    webhookRecovered(account: AccountId) {
      log.warn({ event: 'webhookRecovered', account });
    },
    webhookHeld(account: AccountId, why: string) {
      log.warn({ event: 'webhookHeld', account, why });
    },
    /** The store does not answer or takes no writes: a request was refused, or nothing could be written. */
    storeFailed(where: string, error: unknown) {
      outage.failed(where, error);
    },
    storeWorks() {
      outage.works();
    },
    /** The outcome of an accept whose commit was not answered. */
    doubtResolved(requestId: RequestId, outcome: 'stored' | 'notStored' | 'withdrawn' | 'kept') {
      metrics.doubtfulAccepts.inc({ outcome });
      // The client was told that it was refused, and it is sent nevertheless.
      if (outcome === 'kept') log.warn({ event: 'doubtResolved', requestId, outcome });
      else log.info({ event: 'doubtResolved', requestId, outcome });
    },
    failed(where: string, error: unknown, details: Readonly<Record<string, unknown>> = {}) {
      metrics.failures.inc({ where });
      if (error instanceof StoreFault) outage.failed(where, error, details);
      else log.error({ event: 'failed', where, ...details, err: error });
    },
  };
}
