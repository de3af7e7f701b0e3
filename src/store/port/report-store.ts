/** The part of the store port that hands report records over: by polling, and by inquiry. */
import type { AccountId, MsgKey, ReportId } from '../../domain/ids.ts';
import type { ReportRecord } from '../../domain/reports/report-record.ts';

export interface ReportBatch {
  readonly reportId: ReportId;
  readonly records: readonly ReportRecord[];
}

export interface ReportQuery {
  readonly account: AccountId;
  /** Records of steps that were not the last are left out. */
  readonly lastOnly: boolean;
}

export interface HandedOver {
  readonly step: number;
  readonly event: 'reportFetched' | 'reportPushed';
  readonly at: number;
}

export interface ReportStore {
  /**
   * The batch the account holds, or a new one of the oldest unfetched records. Any number of callers on any number of
   * nodes get the same batch until it is acknowledged. A batch that this call made may be fetched and acknowledged by
   * others before the call has read it; so every batch that is made has a name of its own. Records that it leaves out are
   * dropped from the queue, as the webhook pusher drops them: they are not handed out later, whatever is asked for then.
   */
  poll(
    query: ReportQuery & {
      readonly newId: () => ReportId;
      readonly limit: number;
      readonly since: number;
      readonly now: number;
    },
  ): Promise<ReportBatch | undefined>;
  /** True if `reportId` was the account's open batch. Its records count as fetched from then on. */
  acknowledge(account: AccountId, reportId: ReportId, now: number): Promise<boolean>;
  /** Whether this is the account's open batch. Certain also after an `acknowledge` that may have happened. */
  holds(account: AccountId, reportId: ReportId): Promise<boolean>;
  /** How the records of a message reached the client, in the order of time. */
  handedOver(msgKey: MsgKey): Promise<HandedOver[]>;
  inquire(query: ReportQuery & { readonly msgKey: MsgKey; readonly since: number }): Promise<ReportRecord[]>;
}
