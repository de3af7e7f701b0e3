/**
 * The carrier port: what a way out of the gateway must do. One contract suite holds every carrier to it.
 *
 * A submit has four answers, and "unknown" is one of them: the message may or may not have been taken. A carrier that
 * cannot tell says so; it never guesses. Receipts name the carrier's own reference and are acknowledged upstream only
 * after the promise of `ReceiptSink` resolves, so that none is lost between the two.
 */
import type { Channel, Step } from '../domain/flow.ts';
import type { AccountId } from '../domain/ids.ts';
import type { ReportCode } from '../domain/report-codes.ts';

export interface Submission {
  /** Names this attempt for ever; the same id again means the same attempt again. */
  readonly attemptId: string;
  readonly account: AccountId;
  readonly to: string;
  readonly attempt: number;
  readonly message: Step;
}

export type SubmitAnswer =
  | { readonly kind: 'accepted'; readonly refs: readonly string[] }
  | { readonly kind: 'permanent'; readonly reportCode: ReportCode }
  | { readonly kind: 'temporary'; readonly reportCode: ReportCode; readonly retryAfterMs?: number }
  | { readonly kind: 'unknown' };

export interface CarrierReceipt {
  readonly ref: string;
  /** 10000 is delivered, anything else a failure. */
  readonly reportCode: ReportCode;
  /** Code of the mobile network, where the carrier tells it. */
  readonly network?: string;
  /** Brand message, basic form: `F` a channel friend, `N` not one. */
  readonly userType?: string;
}

export type ReceiptSink = (receipts: readonly CarrierReceipt[]) => Promise<void>;

export interface CarrierCapabilities {
  readonly channels: readonly Channel[];
  /** Submits it takes before the first is answered. */
  readonly window: number;
  /** The same attempt id may be submitted again: it is sent once, and its receipts come again. */
  readonly repeatable: boolean;
}

export interface Carrier {
  readonly name: string;
  readonly capabilities: CarrierCapabilities;
  start(receipts: ReceiptSink): Promise<void>;
  /** One promise for each submission, in order; none rejects. */
  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[];
  close(): Promise<void>;
}
