/**
 * The part of the store port for reservations: sends that wait for their time.
 *
 * Recipients are kept in lists of a few dozen, each of which becomes one request. `release` makes the messages of a list
 * and marks the list in one transaction: whatever dies, each recipient is sent once. After `move` to STOPPED or CANCELLED has
 * resolved, nothing more is released.
 */
import type { HistoryEntry } from '../../domain/delivery/settlement.ts';
import type { AccountId, MsgKey, RequestId, ResvKey } from '../../domain/ids.ts';
import type { ReportRecord } from '../../domain/reports/report-record.ts';
import type {
  ListedRecipient,
  RecipientList,
  Reservation,
  ReservationState,
  ReservedRecipient,
} from '../../domain/reservation/reservation.ts';
import type { AcceptResult, IdempotencyEntry, NewMessage, NewRequest } from './message-store.ts';
import type { Sweeps } from './upkeep-store.ts';

export interface NewReservation
  extends Omit<
    Reservation,
    'status' | 'sent' | 'delivered' | 'failed' | 'updatedAt' | 'endedAt' | 'expected' | 'bytes'
  > {
  readonly lists: readonly RecipientList[];
  readonly quota: ReservationQuota;
  readonly idempotency: IdempotencyEntry | undefined;
}

/** What the reservations of an account that have not ended may have together: their number, waiting recipients and size. */
export interface ReservationQuota {
  readonly reservations: number;
  readonly recipients: number;
  readonly bytes: number;
}

/** The account has no room for what was given. */
export interface UsedUp {
  readonly kind: 'usedUp';
  readonly what: keyof ReservationQuota;
  readonly used: number;
  readonly added: number;
}

/** Names a reservation; without an account it is the operator who asks. */
export interface ReservationName {
  readonly resvKey: ResvKey;
  readonly account: AccountId | undefined;
}

export type ReserveResult = AcceptResult | UsedUp;

export type ReservationOutcome =
  | 'done'
  | 'notFound'
  /** Its state does not allow it. */
  | 'wrongState';

export interface AddedRecipients {
  readonly lists: readonly RecipientList[];
  /** Recipients of one reservation. */
  readonly most: number;
  readonly quota: ReservationQuota;
  readonly now: number;
  readonly idempotency: IdempotencyEntry | undefined;
}

export type AddResult =
  | AcceptResult
  | UsedUp
  | { readonly kind: Exclude<ReservationOutcome, 'done'> | 'full' };

export interface ReservationQuery {
  readonly account: AccountId | undefined;
  readonly status: ReservationState | undefined;
  /** Only those to be sent at this moment or later. */
  readonly sendFrom: number | undefined;
  /** Only those made before this one. */
  readonly before: ResvKey | undefined;
  readonly limit: number;
}

/** A recipient that no longer passes when its time has come: a message that has ended with its record. */
export interface EndedMessage {
  readonly message: Omit<NewMessage, 'route'>;
  readonly history: readonly HistoryEntry[];
  readonly report: ReportRecord;
}

export interface ReleaseOrder {
  readonly resvKey: ResvKey;
  /** The list as one request; its messages are those that go into the queue. */
  readonly request: NewRequest;
  readonly ended: readonly EndedMessage[];
  readonly now: number;
}

/** What makes the messages of reservations whose time has come. */
export interface ReservationReleases {
  /** Whether anything is due or on its way. Cheap: asked several times a second. */
  hasWork(now: number): Promise<boolean>;
  /** Those whose time has come are on their way from now on; resolves to their number. */
  begin(now: number, limit: number): Promise<number>;
  /** Those on their way: of each account by their time so many, behind so many that are skipped; without what is sent. */
  underWay(ofEach: number, skipped: number): Promise<Reservation[]>;
  /** Its next lists that have not been released and can be read. */
  waitingLists(resvKey: ResvKey, limit: number): Promise<RecipientList[]>;
  /** Ends one that is in progress, unless a list has not been released, readable or not; true if it ended. */
  complete(resvKey: ResvKey, now: number): Promise<boolean>;
  /** False if it was not on its way any more, or the list had been released, or is not what it was when it was read. */
  release(order: ReleaseOrder): Promise<boolean>;
  /** How many steps of the account are ready for a carrier, counted up to `limit`. */
  ready(account: AccountId, carrier: string, limit: number): Promise<number>;
  /** Counts what became of the messages of some lists; true if there may be more to count now. */
  count(now: number, limit: number): Promise<boolean>;
}

export interface ReservationStore extends ReservationReleases {
  reserve(reservation: NewReservation): Promise<ReserveResult>;
  /** Certain even after a `reserve` that may have happened: no write is under way any more. */
  isStored(name: ReservationName): Promise<boolean>;
  find(name: ReservationName): Promise<Reservation | undefined>;
  /** Newest first, without what is sent. */
  list(query: ReservationQuery): Promise<Reservation[]>;
  change(
    name: ReservationName,
    change: { readonly sendAt?: number | undefined; readonly name?: string | undefined },
    now: number,
  ): Promise<ReservationOutcome>;
  move(
    name: ReservationName,
    from: readonly ReservationState[],
    to: ReservationState,
    now: number,
  ): Promise<ReservationOutcome>;
  /** `full`: it would have more than `most` recipients. */
  addRecipients(
    name: ReservationName & { readonly account: AccountId },
    addition: AddedRecipients,
  ): Promise<AddResult>;
  /** The last of its lists. */
  lastList(resvKey: ResvKey): Promise<RequestId | undefined>;
  /** The list that has this id; undefined if it is none of the account. */
  listOf(requestId: RequestId, account: AccountId): Promise<KnownList | undefined>;
  /** The reservation in which a recipient waits. */
  ofMessage(
    msgKey: MsgKey,
    account: AccountId,
  ): Promise<{ readonly resvKey: ResvKey; readonly recipient: ReservedRecipient } | undefined>;
  /** `notFound` too where it has no such recipient, or the recipient was sent. */
  removeRecipient(name: ReservationName, msgKey: MsgKey, now: number): Promise<ReservationOutcome>;
  /** In the order of their keys. */
  recipients(
    name: ReservationName,
    page: { readonly after: MsgKey | undefined; readonly limit: number },
  ): Promise<ListedRecipient[]>;
  /** Cancels what has halted for long, removes texts, and deletes what ended long ago. */
  sweeps(order: ReservationSweep): Sweeps;
  /**
   * Looks for a recipient in the next lists that wait, of all or of one account, and takes it out if asked to. `after`: where
   * to go on; undefined at the end.
   */
  ofRecipient(order: RecipientOrder): Promise<{
    readonly found: readonly WaitingRecipient[];
    /** Lists that cannot be read: nobody knows whether it is in them. */
    readonly unreadable: readonly RequestId[];
    readonly after: RequestId | undefined;
  }>;
}

export interface ReservationSweep {
  readonly now: number;
  /** Those that are STOPPED or HELD, whose time was before and which nobody has changed since, are cancelled without text. */
  readonly haltedBefore: number;
  /** Those that ended before lose their text. */
  readonly textsBefore: number;
  /** Those that ended before are deleted. */
  readonly before: number;
}

export interface KnownList {
  /** With how many recipients it was made. */
  readonly size: number;
  readonly waiting: readonly MsgKey[];
}

export interface RecipientOrder {
  /** Every way in which its number may be stored. */
  readonly to: readonly string[];
  readonly account: AccountId | undefined;
  readonly after: RequestId | undefined;
  readonly isRemoval: boolean;
  readonly now: number;
}

export interface WaitingRecipient extends Omit<ReservedRecipient, 'index'> {
  readonly msgKey: MsgKey;
  readonly resvKey: ResvKey;
}
