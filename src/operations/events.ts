/**
 * What happens in the business, one method for each event: its log line and its counter together.
 * Text is never logged, and numbers only masked. Nothing here throws.
 */
import type { Channel } from '../domain/flow.ts';
import type { AccountId, MsgKey } from '../domain/ids.ts';
import { maskNumber } from '../domain/phone-number.ts';
import type { Problem } from '../domain/problem.ts';
import type { ReportRecord } from '../domain/report.ts';
import type { LiveStep } from '../domain/settlement.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';

export type Events = ReturnType<typeof createEvents>;

export function createEvents(log: Logger, metrics: Metrics) {
  return {
    accepted(account: AccountId, channel: Channel, msgKeys: readonly MsgKey[], to: string) {
      metrics.accepted.inc({ channel }, msgKeys.length);
      log.debug({ event: 'accepted', account, channel, msgKeys, to: maskNumber(to) });
    },
    refused(route: string, problem: Problem) {
      metrics.refused.inc({ code: problem.code });
      log.debug({ event: 'refused', route, code: problem.code });
    },
    submitted(live: LiveStep, answer: string) {
      metrics.submitted.inc({ carrier: live.carrier, answer });
      const { msgKey, step, attempt, carrier } = live;
      log.debug({ event: 'submitted', msgKey, step, attempt, carrier, answer, to: maskNumber(live.to) });
    },
    ended(report: ReportRecord) {
      const { msgKey, step, serviceType, reportCode } = report;
      metrics.ended.inc({ service: serviceType, code: reportCode });
      if (report.sentAt !== undefined)
        metrics.deliverySeconds.observe((report.reportedAt - report.sentAt) / 1000);
      log.debug({ event: 'ended', msgKey, step, serviceType, reportCode });
    },
    receiptSettled(carrier: string, ref: string, settled: string) {
      metrics.receipts.inc({ settled });
      if (settled === 'late') log.info({ event: 'lateDelivery', carrier, ref });
      else log.debug({ event: 'receipt', carrier, ref, settled });
    },
    takenOver(steps: number) {
      log.info({ event: 'takenOver', steps });
    },
    tokenIssued(account: AccountId) {
      log.debug({ event: 'tokenIssued', account });
    },
    tokenRefused(address: string, code: string) {
      log.info({ event: 'tokenRefused', address, code });
    },
    reportsFetched(account: AccountId, records: number) {
      metrics.reported.inc(records);
      log.debug({ event: 'reportsFetched', account, records });
    },
    failed(where: string, error: unknown, details: Readonly<Record<string, unknown>> = {}) {
      log.error({ event: 'failed', where, ...details, err: error });
    },
  };
}
