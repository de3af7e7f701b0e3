/** The report record: one for each channel message tried, written when its step ends. */
import { serviceTypeOf } from '../channels/channel.ts';
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import type { AccountId, MsgKey } from '../ids.ts';
import { DELIVERED, type ReportCode } from './report-codes.ts';

export interface ReportRecord {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  /** Position of the channel message in its flow, from 0. */
  readonly step: number;
  readonly serviceType: string;
  readonly msgType: string;
  readonly sentAt: number | undefined;
  readonly reportedAt: number;
  readonly reportCode: ReportCode;
  /** Code of the mobile network, if the receipt names it. */
  readonly network: string | undefined;
  readonly resCnt: string | undefined;
  /** Brand message, basic form: whether the recipient was a channel friend. */
  readonly userType: string | undefined;
  readonly ref: string | undefined;
  /** The last record of its message: nothing follows in the flow. */
  readonly isLast: boolean;
}

/** Far beyond the last step of any flow. */
const LATE_STEP = 1000;

/**
 * The record of a success that came after its step had ended otherwise. It stands behind the records of the flow, under a
 * step of its own, so that a repeated receipt cannot add another.
 */
export function lateRecordOf(
  ended: ReportRecord,
  receipt: { readonly network?: string; readonly userType?: string },
  at: number,
): ReportRecord {
  return {
    ...ended,
    step: LATE_STEP + ended.step,
    reportedAt: at,
    reportCode: DELIVERED,
    network: receipt.network,
    userType: receipt.userType,
    isLast: true,
  };
}

/** The words a report uses for a channel message. */
export function describeStep(step: Step): Pick<ReportRecord, 'serviceType' | 'msgType' | 'resCnt'> {
  const { report } = channelOf(step);
  return {
    serviceType: serviceTypeOf(step.channel),
    msgType: report.msgType(step),
    resCnt: report.resCnt?.(step),
  };
}
