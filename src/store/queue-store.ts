/** The part of the store port that moves steps: claiming them, settling what became of them, looking at the queue. */
import type { AccountId, MsgKey } from '../domain/ids.ts';
import type { ReportRecord } from '../domain/report.ts';
import type { LiveStep, Settlement, StepEvent } from '../domain/settlement.ts';
import type { MessageView } from './store.ts';

export interface ClaimOrder {
  readonly owner: string;
  /** Steps of this carrier only. */
  readonly carrier: string;
  /** How many of which account at most. */
  readonly shares: readonly Share[];
  readonly now: number;
}

/** An account with steps due; `ranks` are those that have some (see phase.ts). */
export interface Waiting {
  readonly account: AccountId;
  readonly ranks: readonly number[];
}

export interface Share extends Waiting {
  readonly limit: number;
}

/** Asks which accounts have steps due for a carrier: the next ones after `after`, by their ids. */
export interface WaitingQuery {
  readonly carrier: string;
  readonly after: AccountId | undefined;
  readonly limit: number;
  readonly now: number;
}

/** Answers and deadlines name their step; a receipt names the carrier's own reference. */
export type QueueEvent =
  | {
      readonly kind: 'step';
      readonly msgKey: MsgKey;
      readonly step: number;
      readonly attempt: number;
      readonly event: StepEvent;
      /** References under which the carrier will send receipts, one for each part; undefined where it is not known. */
      readonly refs?: readonly (string | undefined)[];
    }
  | {
      readonly kind: 'receipt';
      readonly carrier: string;
      readonly ref: string;
      /** The recipient as the carrier writes it. */
      readonly to?: string;
      /** The step itself, where the carrier gives our own id back; the reference is not looked up then. */
      readonly about?: StepKey;
      readonly event: StepEvent & { readonly name: 'receivedDelivered' | 'receivedFailed' };
      readonly receivedAt: number;
      /** Where it was parked; it is not any more once it is settled. */
      readonly parkedId?: number;
    };

/** What became of an event. */
export type Settled =
  | Settlement['kind']
  /** A receipt whose reference is not known yet; kept until it is. */
  | 'parked'
  /** A success after the step had ended otherwise; recorded in the message's history. */
  | 'late';

export type Decide = (live: LiveStep, event: StepEvent) => Settlement;

/** What `settle` did: the fate of each event, and the records that came of it. */
export interface SettleResult {
  readonly settled: readonly Settled[];
  readonly reports: readonly ReportRecord[];
  /** A next step was enqueued. */
  readonly enqueued: boolean;
}

export interface StepKey {
  readonly msgKey: MsgKey;
  readonly step: number;
  readonly attempt: number;
}

export interface QueueDepth {
  readonly ready: number;
  readonly claimed: number;
  readonly waiting: number;
  /** Due time of the oldest step that should be on its way. */
  readonly oldestReadyAt: number | undefined;
  /** The same for each carrier that has such steps. */
  readonly heads: ReadonlyMap<string, number>;
}

export interface QueueStore {
  /** Accounts with steps due for a carrier, by their ids. */
  waiting(query: WaitingQuery): Promise<Waiting[]>;
  /**
   * Takes due steps for `owner`: of each account what is sent singly before bulk, then oldest first. The attempt is
   * counted and on disk before this resolves.
   */
  claim(order: ClaimOrder): Promise<LiveStep[]>;
  /** Carriers that steps wait for, whether configured or not. */
  carriers(): Promise<string[]>;
  settle(events: readonly QueueEvent[], decide: Decide): Promise<SettleResult>;
  /** Steps whose deadline has passed, oldest first. */
  overdue(now: number, limit: number): Promise<StepKey[]>;
  /** Receipts that were parked and whose reference has become known since. */
  matchedParked(limit: number): Promise<QueueEvent[]>;
  /** Those of the references that messages of the carrier have, with their recipients. */
  knownRefs(carrier: string, refs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  depth(): Promise<QueueDepth>;
  peek(limit: number): Promise<MessageView[]>;
}
