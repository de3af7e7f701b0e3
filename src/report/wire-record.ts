import type { AccountSettings } from '../domain/account/account.ts';
import { REPORT_CODES } from '../domain/reports/report-codes.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { FormatTime } from '../platform/zoned-time.ts';

/** A report record as the contract writes it; members without a value are left out. */
export interface WireReport {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly sendTime?: string;
  readonly reportTime: string;
  readonly reportType: string;
  readonly reportCode: string;
  readonly reportText: string;
  readonly carrier?: string;
  readonly resCnt?: string;
  readonly userType?: string;
  readonly ref?: string;
}

/** The only report kind seen on the wire. */
const REPORT_TYPE = '0';

/** The record as polling and webhooks hand it over. */
export function wireReport(
  record: ReportRecord,
  { reportFormat }: Pick<AccountSettings, 'reportFormat'>,
  formatTime: FormatTime,
): WireReport {
  const isSpec = reportFormat === 'spec';
  return {
    msgKey: record.msgKey,
    serviceType: record.serviceType,
    msgType: record.msgType,
    ...(isSpec && record.sentAt !== undefined && { sendTime: formatTime(record.sentAt) }),
    reportTime: formatTime(record.reportedAt),
    reportType: REPORT_TYPE,
    reportCode: record.reportCode,
    reportText: REPORT_CODES[record.reportCode],
    ...(record.network !== undefined && { carrier: record.network }),
    ...(isSpec && record.resCnt !== undefined && { resCnt: record.resCnt }),
    ...(record.ref !== undefined && { ref: record.ref }),
  };
}
