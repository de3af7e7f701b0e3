/**
 * What the commands of an operator work with: the store of this machine (local-tools.ts), or a running gateway over HTTP
 * (remote-tools.ts). Both do the same, show the same, and leave the same entries in the audit log. What cannot be done is
 * thrown, with a sentence for people.
 */
import type {
  AccountChange,
  AccountUsageView,
  DeletedAccount,
  Filters,
  InboundDesk,
  MessageDetail,
  MessagePage,
  OperatorReservation,
  Privacy,
  ReservationFilters,
  ReservationPage,
  Subject,
} from '../composition/operator-tools.ts';
import type { AccountSettings } from '../domain/account/account.ts';
import type { AccountView } from '../domain/account/account-settings.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Problem } from '../domain/request/problem.ts';
import type { ReservationMove } from '../domain/reservation/reservation.ts';
import type { CarrierLine } from '../operations/carriers.ts';
import type { HealthView } from '../operations/health.ts';
import type { CallOperation } from '../operations/operations.ts';
import type { DepthView } from '../operations/queue.ts';

/** What a tool answers where nothing is wrong. */
export type Done<Answer> = Exclude<Awaited<Answer>, Problem>;

export type { OperatorReservation, Subject };

export interface CancelRequest {
  readonly msgKeys?: readonly string[];
  readonly filters?: Filters;
  readonly most?: number;
}

/** Without an outcome they are counted. */
export interface SettleRequest extends CancelRequest {
  readonly outcome?: string;
  readonly code?: string;
  readonly reason?: string;
}

export interface SettledByHand {
  readonly settleable: number;
  readonly settled: number;
  readonly tooLate: number;
  readonly isMore: boolean;
}

export interface Cancelled {
  readonly cancellable: number;
  readonly cancelled: number;
  readonly tooLate: number;
  readonly isMore: boolean;
}

export interface Status {
  readonly version: string;
  readonly mode: string;
  /** Of the node that answers; undefined of a store, which nobody serves perhaps. */
  readonly health: HealthView | undefined;
  readonly queue: DepthView;
  readonly carriers: readonly CarrierLine[];
}

export interface CommandTools {
  /** Names the store or the gateway, so that an empty answer says where was looked. */
  readonly where: string;
  /** Asks for a declared operation. */
  readonly call: CallOperation;
  /** Of the gateway: the zone in which it tells times. */
  timeZone(): Promise<string>;
  status(): Promise<Status>;
  /** A link that signs in to the console once. */
  consoleLink(): Promise<{ readonly link: string; readonly expiresAt: string }>;
  readonly accounts: {
    list(): Promise<readonly AccountView[]>;
    show(id: AccountId): Promise<AccountView & { readonly usage: AccountUsageView }>;
    create(id: AccountId, password: string, settings: Partial<AccountSettings>): Promise<AccountView>;
    change(id: AccountId, change: AccountChange): Promise<AccountView>;
    setPassword(id: AccountId, password: string): Promise<void>;
    revokeTokens(id: AccountId): Promise<AccountView>;
    remove(id: AccountId): Promise<DeletedAccount>;
  };
  readonly messages: {
    find(filters: Filters, limit: number): Promise<MessagePage>;
    detail(msgKey: string): Promise<MessageDetail>;
    /** By keys, or by filters; with filters and without `most` they are counted. Only on a running gateway. */
    cancel(order: CancelRequest): Promise<Cancelled>;
    /** The same, of messages whose outcome is known by hand. */
    settle(order: SettleRequest): Promise<SettledByHand>;
  };
  readonly inbound: {
    list(filters: Filters, limit: number): Promise<Done<ReturnType<InboundDesk['list']>>>;
    assign(msgKey: string, account: string): Promise<Done<ReturnType<InboundDesk['assign']>>>;
    simulate(message: object): Promise<Done<ReturnType<InboundDesk['simulate']>>>;
  };
  readonly privacy: {
    holdings(subject: Subject): ReturnType<Privacy['holdings']>;
    /** The pieces of one JSON text. */
    export(subject: Subject): AsyncIterable<string | Uint8Array>;
    erase(subject: Subject, options: { readonly images: boolean }): ReturnType<Privacy['erase']>;
    orders(): ReturnType<Privacy['orders']>;
  };
  readonly reservations: {
    list(filters: ReservationFilters, limit: number): Promise<ReservationPage>;
    show(resvKey: string): Promise<OperatorReservation>;
    change(
      resvKey: string,
      change: Readonly<Record<string, string | undefined>>,
    ): Promise<OperatorReservation>;
    move(resvKey: string, move: ReservationMove): Promise<OperatorReservation>;
  };
}
