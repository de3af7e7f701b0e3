/** The part of the store port that moves steps: claiming them, settling what became of them, looking at the queue. */
import type { Flow } from '../../domain/delivery/flow.ts';
import type { Parts } from '../../domain/delivery/parts.ts';
import type { HistoryEntry, LiveStep, Settlement, StepEvent } from '../../domain/delivery/settlement.ts';
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import type { ReportRecord } from '../../domain/reports/report-record.ts';
import type { Words } from '../../domain/text/substitution.ts';
import type { MessageView } from './message-store.ts';

export interface ClaimOrder {
  readonly owner: string;
  /** Unique for ever: a node recognises its own claims by it. */
  readonly claim: string;
  /** Steps of this carrier only. */
  readonly carrier: string;
  /** How many of which account at most. */
  readonly shares: readonly Share[];
  readonly now: number;
  /** Steps whose attempt is to be made again by this very carrier are left out. */
  readonly onlyMovable?: boolean;
}

export interface Share {
  readonly account: AccountId;
  readonly limit: number;
}

/** Asks which accounts have steps ready for a carrier: the next ones after `after`, by their ids. */
export interface ReadyAccountsQuery {
  readonly carrier: string;
  readonly after: AccountId | undefined;
  readonly limit: number;
}

/** Answers and deadlines name their step; a receipt names the carrier's own reference. */
export type QueueEvent =
  | {
      readonly kind: 'step';
      readonly msgKey: MsgKey;
      readonly step: number;
      readonly attempt: number;
      readonly event: StepEvent;
      /** The carrier that was asked, whatever carrier the step has now; undefined for what no carrier said. */
      readonly carrier?: string;
      /** The claim under which it was asked. */
      readonly claim?: string;
      /** References under which the carrier will send receipts, one for each part; undefined where it is not known. */
      readonly refs?: readonly (string | undefined)[];
    }
  | {
      readonly kind: 'receipt';
      readonly carrier: string;
      readonly ref: string;
      /** The recipient as the carrier writes it. */
      readonly to?: string;
      /** The sender as the carrier writes it. */
      readonly from?: string;
      /** The step itself, where the carrier gives our own id back; the reference is not looked up then. */
      readonly about?: StepKey;
      /** Other carriers whose receipts come by this one. */
      readonly receiptsOf?: readonly string[];
      readonly event: StepEvent & { readonly name: 'receivedDelivered' | 'receivedFailed' };
      readonly receivedAt: number;
      /** Where it was parked; it is not any more once it is settled. */
      readonly parkedId?: number;
    };

/** What became of an event. */
export type Settled =
  | Settlement['kind']
  /** A receipt whose reference is not known yet, or may be that of a newer message too; kept until it is known. */
  | 'parked'
  /** A success after the step had ended otherwise, or a failure that denies what an operator told; in the message's history. */
  | 'late'
  /** It could not be written, and is kept with the reason for the operator. */
  | 'setAside';

/** `now`: the time of the transaction that settles. */
export type Decide = (live: LiveStep, event: StepEvent, now: number) => Settlement;

/** What `settle` did: the outcome of each event, and the records that it produced. */
export interface SettleResult {
  readonly settled: readonly Settled[];
  readonly reports: readonly ReportRecord[];
  /** Successes of steps that had ended otherwise, as records; they are kept as such where the account asked for it. */
  readonly late: readonly ReportRecord[];
  /** A next step was enqueued. */
  readonly enqueued: boolean;
}

export interface StepKey {
  readonly msgKey: MsgKey;
  readonly step: number;
  readonly attempt: number;
}

/** Asks for steps that a carrier took, or may have taken, and has said nothing of since. */
export interface AwaitedQuery {
  readonly carrier: string;
  /** Of those that it took. */
  readonly submittedBefore: number;
  readonly deadlineUntil: number;
  /** Steps past their deadline are left to the deadline. */
  readonly deadlineAfter: number;
  readonly limit: number;
}

export interface AwaitedStep extends StepKey {
  readonly deadlineAt: number;
  /** It may not have been taken. */
  readonly isInDoubt: boolean;
  /** The carrier's reference of the attempt; of several parts, one of them. */
  readonly ref?: string;
}

/** A step that the store says a node holds. */
export interface HeldStep extends StepKey {
  readonly claim: string | undefined;
}

/** A step in doubt, with what can match it to a receipt. */
export interface DoubtfulStep extends StepKey {
  readonly carrier: string;
  readonly to: string;
  readonly flow: Flow;
  readonly words: Words | undefined;
  /** Receipts of its parts so far, where the carrier has said how many there are. */
  readonly parts: Parts | undefined;
  /** When the attempt in doubt was claimed: nothing that came before is about it. */
  readonly claimedAt: number;
}

export type ParkedReceipt = Extract<QueueEvent, { kind: 'receipt' }> & { readonly parkedId: number };

export interface SetAside {
  readonly at: number;
  readonly reason: string;
  /** The event, as JSON. */
  readonly event: string;
}

/** How many steps are in each phase; see phase.ts. */
export interface QueueDepth {
  readonly ready: number;
  readonly claimed: number;
  readonly awaitingReceipt: number;
  readonly putOff: number;
  /** Due time of the oldest step that should be on its way. */
  readonly oldestReadyAt: number | undefined;
  /** The same for each carrier that has such steps. */
  readonly heads: ReadonlyMap<string, number>;
}

export interface QueueStore {
  /** Accounts with steps ready for a carrier, by their ids. */
  readyAccounts(query: ReadyAccountsQuery): Promise<AccountId[]>;
  /**
   * Claims ready steps for `owner`, all of them or none: for each account single sends before bulk, then oldest first. The
   * attempt is counted and on disk before this resolves.
   */
  claim(order: ClaimOrder): Promise<LiveStep[]>;
  /** Steps ready for a carrier, counted up to `most`. */
  countReady(carrier: string, most: number): Promise<number>;
  /** Carriers that steps wait for, whether configured or not. */
  carriers(): Promise<string[]>;
  settle(events: readonly QueueEvent[], decide: Decide): Promise<SettleResult>;
  /** Steps whose deadline has passed, oldest first. */
  overdue(now: number, limit: number): Promise<StepKey[]>;
  /** Steps that wait for a receipt, those with the nearest deadline first. References are searched for: ask rarely. */
  awaited(query: AwaitedQuery): Promise<AwaitedStep[]>;
  /** Steps put off whose time has come are ready from now on; resolves to their number. */
  release(order: {
    readonly now: number;
    /** After the wall clock was set back: steps whose time of putting off lies after this moment are due too. */
    readonly putOffAfter: number | undefined;
    readonly limit: number;
  }): Promise<number>;
  /**
   * Steps that the store says the node holds and is submitting; and those in doubt that still carry one of these claims,
   * because another node has taken them over.
   */
  held(owner: string, claims: readonly string[], limit: number): Promise<HeldStep[]>;
  /**
   * Looks through parked receipts whose turn it is, each less and less often as it grows older; resolves to those whose
   * reference has become known since, to the carrier that brought it or to others whose receipts may come by that; and to those
   * that name our own attempt, because its message may be readable again.
   */
  matchedParked(
    now: number,
    limit: number,
    receiptsOf?: ReadonlyMap<string, readonly string[]>,
  ): Promise<ParkedReceipt[]>;
  /** Steps whose outcome is unknown, oldest first. */
  doubtful(limit: number): Promise<DoubtfulStep[]>;
  /** Parked receipts of a carrier for these recipients (`significantTail`), from before a moment, oldest first. */
  parkedFor(carrier: string, tails: readonly string[], before: number): Promise<ParkedReceipt[]>;
  /** Adds a line to a message's history. */
  note(msgKey: MsgKey, entry: HistoryEntry): Promise<void>;
  /** Keeps an event that cannot be written, for the operator. */
  setAside(entry: SetAside): Promise<void>;
  /** Newest first. */
  listSetAside(limit: number): Promise<SetAside[]>;
  /** Those of the references that messages of the carrier have, with their recipients. */
  knownRefs(carrier: string, refs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  depth(): Promise<QueueDepth>;
  peek(limit: number): Promise<MessageView[]>;
}
