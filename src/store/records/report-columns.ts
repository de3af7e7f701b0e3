/** Report records: the ledger, and the queue of those that have not been fetched. */
import type { ReportRecord } from '../../domain/reports/report-record.ts';
import type { HandedOver } from '../port/report-store.ts';
import { bigint, type ColumnsOf, flag, integer, optional, readerOf, text } from './columns.ts';

/** Of the table `report`. */
export const REPORT_COLUMNS: ColumnsOf<ReportRecord> = {
  msgKey: text('msg_key'),
  step: integer('step'),
  account: text('account'),
  serviceType: text('service_type'),
  msgType: text('msg_type'),
  sentAt: optional(bigint('sent_at')),
  reportedAt: bigint('reported_at'),
  reportCode: text('report_code'),
  network: optional(text('carrier')),
  resCnt: optional(text('res_cnt')),
  userType: optional(text('user_type')),
  ref: optional(text('ref')),
  groupKey: optional(text('group_key')),
  traceparent: optional(text('traceparent')),
  isLast: flag('is_last'),
};

const { account, msgKey, step, isLast, reportedAt } = REPORT_COLUMNS;
/** Of the table `report_queue`. */
export const REPORT_QUEUE_COLUMNS = { account, msgKey, step, isLast, reportedAt };

export const reportOf = readerOf(REPORT_COLUMNS);

const HANDED_OVER: ColumnsOf<HandedOver> = { step, event: text('event'), at: bigint('at') };
export const handedOverOf = readerOf(HANDED_OVER);
