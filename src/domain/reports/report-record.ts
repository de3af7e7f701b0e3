/** The report record: one for each channel message tried, written when its step ends. */
import { serviceTypeOf } from '../channels/channel.ts';
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import type { AccountId, MsgKey } from '../ids.ts';
import { DELIVERED, type ReportCode } from './report-codes.ts';

/** What a receipt may say besides the outcome: a carrier reads it, and it goes into the report record. */
export interface ReceiptDetails {
  /** Code of the mobile network. */
  readonly network?: string;
  /** Brand message, basic form: `F` if the recipient is a friend of the channel, `N` if not. */
  readonly userType?: string;
  /** Parts that an international message was sent in, where the carrier counts them; it wins over our own count. */
  readonly resCnt?: string;
}

/** The same in a record, where a detail that was not given is undefined. */
type ReportedDetails = {
  readonly [Detail in 'network' | 'userType']: ReceiptDetails[Detail] | undefined;
};

export interface ReportRecord extends ReportedDetails {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  /** Position of the channel message in its flow, from 0. */
  readonly step: number;
  readonly serviceType: string;
  readonly msgType: string;
  readonly sentAt: number | undefined;
  readonly reportedAt: number;
  readonly reportCode: ReportCode;
  readonly resCnt: string | undefined;
  readonly ref: string | undefined;
  readonly groupKey: string | undefined;
  /** The trace of the client that its message belongs to. */
  readonly traceparent?: string | undefined;
  /** The last record of its message: nothing follows in the flow. */
  readonly isLast: boolean;
}

export function reportedDetails({ network, userType }: ReceiptDetails): ReportedDetails {
  return { network, userType };
}

/** The details of a receipt apart from everything else it has; those that it does not have are left out. */
export function receiptDetails({ network, userType, resCnt }: ReceiptDetails): ReceiptDetails {
  return {
    ...(network !== undefined && { network }),
    ...(userType !== undefined && { userType }),
    ...(resCnt !== undefined && { resCnt }),
  };
}

/** Far beyond the last step of any flow. */
const LATE_STEP = 1000;

/**
 * The record of a success that came after its step had ended otherwise. It has a step of its own, behind those of the flow,
 * so that a repeated receipt cannot add another record.
 */
export function lateRecordOf(ended: ReportRecord, receipt: ReceiptDetails, at: number): ReportRecord {
  return {
    ...ended,
    step: LATE_STEP + ended.step,
    reportedAt: at,
    reportCode: DELIVERED,
    ...reportedDetails(receipt),
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
