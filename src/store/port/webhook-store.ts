/**
 * The part of the store port that hands records over by webhook.
 *
 * A record of an account in webhook mode is collected from the report queue into a delivery, claimed by a node, and
 * completed. A delivery that a node holds is nobody else's until that node completes it, gives it back or is dead: so two
 * nodes never send the same record at the same time, and a record whose node died is sent again.
 *
 * Deliveries that are replayed or retried by range have lower priority: they are claimed while nothing of its account is due.
 * A delivery that was still pending keeps its own turn beside that, and goes at the earlier of the two, so asking for it never
 * delays it. One that had ended has no other turn but the end of its window.
 */
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import type { InboundMessage } from '../../domain/inbound/inbound.ts';
import type { ReportRecord } from '../../domain/reports/report-record.ts';
import type { DeliveryState, WebhookAttempt } from '../../domain/reports/webhook.ts';

export interface DeliveryKey {
  readonly msgKey: MsgKey;
  readonly step: number;
}

/** A delivery in the hands of a node. */
export interface ClaimedDelivery extends DeliveryKey {
  /** Undefined when the ledger does not keep it any more. */
  readonly record: ReportRecord | InboundMessage | undefined;
  readonly attempts: number;
  readonly recent: readonly WebhookAttempt[];
  readonly giveUpAt: number;
  /** Claimed because nothing was due: it yields to what is. */
  readonly isReplay: boolean;
}

export interface CompletedDelivery extends DeliveryKey {
  readonly owner: string;
  readonly state: DeliveryState;
  /** When to try again, or when it ended. */
  readonly at: number;
  readonly attempts: number;
  readonly recent: readonly WebhookAttempt[];
}

/** A delivery as operators see it. */
export interface DeliveryView extends DeliveryKey {
  readonly account: AccountId;
  /**
   * What is pending is told apart: `pending` waits for its first attempt, `retrying` failed and waits for another, `off`
   * waits because the webhook of its account is switched off.
   */
  readonly state: DeliveryState | 'retrying' | 'off';
  readonly attempts: number;
  readonly recent: readonly WebhookAttempt[];
  /** When it falls due, or fell due; undefined when it ended. */
  readonly nextAt: number | undefined;
  readonly giveUpAt: number;
  readonly reportedAt: number;
  /** A node has it in hand. */
  readonly isHeld: boolean;
}

/** A receiver that keeps failing: its node calls it again after a pause, and only once. */
export interface OpenCircuit {
  /** The failure that stopped the calls. */
  readonly openedAt: number;
  /** The last failure. */
  readonly at: number;
  /** When the pause is over. */
  readonly probeAt: number;
  /** Calls that failed in a row. */
  readonly failures: number;
  /** What was wrong with the last one. */
  readonly error: string;
}

export interface WebhookSecretRow {
  readonly id: string;
  /** Sealed; see platform/sealing.ts. */
  readonly sealed: string;
  readonly createdAt: number;
  /** Undefined for the newest. */
  readonly expiresAt: number | undefined;
}

export interface WebhookOff {
  /** The address that was switched off; another one is not. */
  readonly url: string;
  readonly reason: string;
  readonly at: number;
}

export interface ReplayOrder {
  readonly account: AccountId;
  /** Reported from, and before. */
  readonly from: number;
  readonly until: number;
  readonly lastOnly: boolean;
  readonly giveUpAt: number;
  readonly now: number;
  /** Goes on behind this message. */
  readonly after: string;
  readonly limit: number;
}

export interface RetryOrder {
  readonly account: AccountId;
  /** Reported from, and before. */
  readonly from: number;
  readonly until: number;
  readonly giveUpAt: number;
  readonly now: number;
  /** Goes on behind this one. */
  readonly after: DeliveryKey;
  readonly limit: number;
}

export interface WebhookStore {
  /**
   * Moves the oldest unfetched records and inbound messages of the account into deliveries, except those in an open batch.
   * Records that `lastOnly` leaves out are dropped from the queue. Their windows begin `now`, however long they have waited to
   * be fetched. All are due `now`: those that were reported in the future, as it seems after the clock was set back, too, and
   * those that a replay was quicker to find. Resolves to the number moved or dropped.
   */
  collect(order: {
    readonly account: AccountId;
    readonly lastOnly: boolean;
    readonly windowMs: number;
    readonly now: number;
    readonly limit: number;
  }): Promise<number>;
  /**
   * Takes due deliveries of the account for `owner`, in the order they fell due, and replays behind them unless `dueOnly`;
   * those of dead nodes too.
   */
  claim(order: {
    readonly account: AccountId;
    readonly owner: string;
    readonly limit: number;
    readonly now: number;
    readonly dueOnly?: boolean;
  }): Promise<ClaimedDelivery[]>;
  /** Writes what became of a claimed delivery. One that its owner lost in the meantime is left alone. */
  complete(delivery: CompletedDelivery): Promise<void>;
  /** Frees what `owner` holds of the account, except these. */
  giveBack(account: AccountId, owner: string, except: readonly DeliveryKey[]): Promise<void>;
  /**
   * The wall clock was set back: pending deliveries of records that were reported after a moment, as it seems, are due at
   * once, instead of when that time comes again.
   */
  hurry(order: { readonly now: number; readonly reportedAfter: number }): Promise<void>;
  /** Accounts of which the store says that `owner` holds deliveries. */
  holders(owner: string): Promise<AccountId[]>;
  /** Accounts with pending deliveries, and when the first of them may be claimed. */
  pending(): Promise<{ readonly account: AccountId; readonly nextAt: number }[]>;
  /** Pending deliveries, of one account or of all, counted up to `most`. */
  countPending(most: number, account?: AccountId): Promise<number>;
  /** Moves pending deliveries back into the report queue, except those that `owner` or another living node holds. */
  returnToQueue(account: AccountId, owner: string, limit: number): Promise<number>;
  /** Makes replays of some of the ledger's records in the range; `next` is where to go on, undefined at the end. */
  replay(order: ReplayOrder): Promise<{ readonly records: number; readonly next: string | undefined }>;
  /** The same for records of reservations whose keys do not tell when they were sent: before `sentFrom`, or after the range. */
  replayMoved(
    order: ReplayOrder & { readonly sentFrom: number },
  ): Promise<{ readonly records: number; readonly next: string | undefined }>;
  /** The same for inbound messages that were received in the range. */
  replayInbound(order: ReplayOrder): Promise<{ readonly records: number; readonly next: string | undefined }>;
  /**
   * Makes one delivery due, before all others of its account. One that ended begins anew, with this end of its window;
   * one that is pending keeps the number of its attempts. False if there is none.
   */
  retry(key: DeliveryKey, order: { readonly giveUpAt: number }): Promise<boolean>;
  /** Makes replays of some deliveries in the range that were not delivered; `next` is where to go on. */
  retryRange(
    order: RetryOrder,
  ): Promise<{ readonly records: number; readonly next: DeliveryKey | undefined }>;
  find(key: DeliveryKey): Promise<DeliveryView | undefined>;
  /** Newest messages first. */
  list(query: {
    readonly account: AccountId | undefined;
    readonly state: DeliveryView['state'] | undefined;
    /** Goes on behind this one. */
    readonly before: DeliveryKey | undefined;
    readonly limit: number;
  }): Promise<DeliveryView[]>;
  switchOff(account: AccountId, off: WebhookOff): Promise<void>;
  switchOn(account: AccountId): Promise<void>;
  findOff(account: AccountId): Promise<WebhookOff | undefined>;
  /** What a node says of a receiver: that it keeps failing, or, with undefined, that it works. */
  setCircuit(account: AccountId, node: string, circuit: OpenCircuit | undefined): Promise<void>;
  /** As living nodes say it. */
  circuits(account: AccountId): Promise<OpenCircuit[]>;
  /** Accounts with pending deliveries whose receiver keeps failing, as living nodes say, or has switched them off. */
  countFailing(): Promise<number>;
  /** Forgets what nodes said that are gone, and what this one said before its start. */
  forgetCircuits(node: string): Promise<void>;
  /** Newest first, expired or not. */
  secrets(account: AccountId): Promise<WebhookSecretRow[]>;
  /**
   * Adds a secret. The newest before it stays valid until `previousUntil`, older ones are deleted. With `onlyFirst`
   * nothing happens when there is one already. True if it was added.
   */
  addSecret(
    account: AccountId,
    secret: Omit<WebhookSecretRow, 'expiresAt'>,
    rules: { readonly previousUntil: number; readonly onlyFirst: boolean },
  ): Promise<boolean>;
}
