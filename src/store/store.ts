/**
 * The store port: everything that outlives the process, in the language of the gateway.
 *
 * Two engines implement it (sqlite/, postgres/) and one contract suite holds them to it. Three promises matter most:
 *  - a write has reached the disk when its promise resolves;
 *  - every method that takes an account sees that account's rows only;
 *  - concurrent calls of `accept` share a transaction, and so do concurrent calls of `settle` (group commit): the
 *    caller sees one promise and never a half-done batch.
 *
 * A method that cannot do as it is asked rejects with a StoreFault, in bounded time; any other error is a bug.
 */
import type { Account } from '../domain/account/account.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import type { StepState } from '../domain/delivery/lifecycle.ts';
import type { RouteChoice } from '../domain/delivery/routing.ts';
import type { HistoryEntry } from '../domain/delivery/settlement.ts';
import type { RepeatPromise } from '../domain/delivery/takeover.ts';
import type { AccountId, FileKey, FormId, MsgKey, ReportId, RequestId } from '../domain/ids.ts';
import type { ImageFormat } from '../domain/images/image-header.ts';
import type { ImageService } from '../domain/images/image-rules.ts';
import type { RegistryEntry, RegistryKind, RegistryRef } from '../domain/registry/registry.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { Words } from '../domain/text/substitution.ts';
import type { QueueStore } from './queue-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export type * from './webhook-store.ts';

import type { CarrierStore } from './carrier-store.ts';
import type { AuditStore, SearchStore, SessionStore, StatisticStore } from './operator-store.ts';

export type * from './carrier-store.ts';
export type * from './operator-store.ts';
export type * from './queue-store.ts';
export { StoreFault } from './store-fault.ts';

export interface Store {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly messages: MessageStore;
  readonly queue: QueueStore;
  readonly reports: ReportStore;
  readonly forms: FormStore;
  readonly registry: RegistryStore;
  readonly files: FileStore;
  readonly carriers: CarrierStore;
  readonly webhooks: WebhookStore;
  readonly nodes: NodeStore;
  readonly upkeep: UpkeepStore;
  readonly search: SearchStore;
  readonly sessions: SessionStore;
  readonly audit: AuditStore;
  readonly statistics: StatisticStore;
  /** Resolves when the store answers; rejects when it does not. */
  ping(): Promise<void>;
  /** Writes next to nothing, durably: rejects where a store that can be read takes no writes. */
  probeWrite(): Promise<void>;
  close(): Promise<void>;
}

export interface AccountStore {
  /** True if it was created, false if the id is taken. */
  create(account: Account): Promise<boolean>;
  find(id: AccountId): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  /**
   * Changes an account, its id aside; false if there is no such account. Read and written in one transaction, so that
   * two changes at the same time both count, and seen by every node at once.
   */
  update(id: AccountId, edit: (account: Account) => Account): Promise<boolean>;
  /** A value this installation generated once and keeps, such as the hash of its admin token. */
  remember(name: string, value: string): Promise<string>;
  recall(name: string): Promise<string | undefined>;
}

export interface TokenRow {
  /** Hash of the token; the token itself is never stored. */
  readonly hash: string;
  readonly account: AccountId;
  readonly expiresAt: number;
}

export interface TokenStore {
  add(token: TokenRow): Promise<void>;
  find(hash: string): Promise<TokenRow | undefined>;
}

export interface NewMessage {
  readonly msgKey: MsgKey;
  readonly to: string;
  /** Values of the placeholders in the flow; undefined where the flow is sent as it is. */
  readonly words: Words | undefined;
  /** The carrier of its first step, and why it was chosen. */
  readonly route: RouteChoice;
}

/** A request about to be accepted: the flow once, a small row for each recipient. */
export interface NewRequest {
  readonly requestId: RequestId;
  readonly account: AccountId;
  readonly acceptedAt: number;
  readonly ref: string | undefined;
  /** The client's settlement department. */
  readonly paymentCode: string | undefined;
  readonly flow: Flow;
  readonly messages: readonly NewMessage[];
  /** Deadline of the first step. */
  readonly deadlineAt: number;
  /** It gives way to what the account sends to one recipient at a time. */
  readonly isBulk: boolean;
  /** A success that comes after a step has ended otherwise is told by a record of its own. */
  readonly tellsLate: boolean;
  readonly idempotency: IdempotencyEntry | undefined;
}

export interface IdempotencyEntry {
  /** Path and client's key; the account is the request's. */
  readonly key: string;
  readonly bodyHash: string;
  /** The answer to give again. */
  readonly response: string;
}

export type AcceptResult =
  | { readonly kind: 'stored' }
  | { readonly kind: 'replayed'; readonly response: string }
  /** The key was used with another body. */
  | { readonly kind: 'conflict' };

export interface MessageView {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly to: string;
  readonly words: Words | undefined;
  readonly ref: string | undefined;
  readonly paymentCode: string | undefined;
  readonly flow: Flow;
  readonly acceptedAt: number;
  readonly state: StepState;
  readonly step: number;
  readonly attempt: number;
  readonly history: readonly HistoryEntry[];
}

export interface MessageStore {
  accept(request: NewRequest): Promise<AcceptResult>;
  /** Whether it is stored. Certain also after an `accept` that may have happened: nothing is on its way any more. */
  isStored(requestId: RequestId): Promise<boolean>;
  /**
   * Takes back a request that has no idempotency key and that its sender was never told of. It is kept if one of its
   * steps was claimed; false if it was.
   */
  withdraw(requestId: RequestId): Promise<boolean>;
  /** One message with its history. Without an account: the operator's view. */
  find(msgKey: MsgKey, account?: AccountId): Promise<MessageView | undefined>;
}

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
   * others before the call has read it; so every batch that is made has a name of its own.
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

export interface StoredForm {
  readonly account: AccountId;
  readonly formId: FormId;
  /** JSON, as the client gave it. */
  readonly entries: string;
  readonly savedAt: number;
}

export interface FormStore {
  /** Saves a form, or replaces the one with this id. */
  put(form: StoredForm): Promise<void>;
  find(account: AccountId, formId: FormId): Promise<StoredForm | undefined>;
  /** True if there was one. */
  remove(account: AccountId, formId: FormId): Promise<boolean>;
  /** Newest first; of one account only where it is named. */
  list(limit: number, account?: AccountId): Promise<StoredForm[]>;
}

export interface RegistryStore {
  /** Writes all of them or none; one under the same kind and key is replaced. */
  put(account: AccountId, entries: readonly RegistryEntry[]): Promise<void>;
  /** True if there was one. */
  remove(account: AccountId, kind: RegistryKind, key: string): Promise<boolean>;
  /** By kind and key; of one kind only where it is named. */
  list(account: AccountId, kind?: RegistryKind): Promise<RegistryEntry[]>;
  /** Those of the wanted entries that there are, in no order. Asked on the way of a send: one round trip. */
  find(account: AccountId, wanted: readonly RegistryRef[]): Promise<RegistryEntry[]>;
}

/** An uploaded image; its bytes are a blob (blobs.ts), which several rows may share. */
export interface FileRow {
  readonly fileKey: FileKey;
  readonly account: AccountId;
  readonly service: ImageService;
  readonly kind: string;
  readonly name: string;
  readonly contentHash: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a sweep of files has found. */
export interface SweptFiles {
  /** Contents that expired rows name and no others; `release` deletes those rows. */
  readonly unneeded: readonly string[];
  readonly isMore: boolean;
}

export interface FileStore {
  add(file: FileRow): Promise<void>;
  /** Those of the files that are the account's, expired or not, in no order. */
  find(account: AccountId, keys: readonly FileKey[]): Promise<FileRow[]>;
  /** For serving: the key itself is the permission. */
  findByKey(fileKey: FileKey): Promise<FileRow | undefined>;
  /** Newest first, those below `before`; of one account only where it is named. */
  list(limit: number, account?: AccountId, before?: FileKey): Promise<FileRow[]>;
  /** Deletes expired rows whose content a valid row names too, and tells which contents nobody needs. */
  sweep(now: number, limit: number): Promise<SweptFiles>;
  /** Deletes the expired rows of a content; true if a row is left that names it. */
  release(contentHash: string, now: number): Promise<boolean>;
}

export interface TakeOverRules {
  /** This node; its own steps are left alone. */
  readonly self: string;
  readonly now: number;
  /** What carriers promise of attempts that are made twice. */
  readonly promises: ReadonlyMap<string, RepeatPromise>;
}

/** What a node tells the others of itself. */
export interface NodeProfile {
  readonly mode: string;
  readonly carriers: readonly NodeCarrier[];
  /** Channels for which it has a route. */
  readonly channels: readonly string[];
}

export interface NodeCarrier {
  readonly name: string;
  readonly kind: string;
  /** Equal where the settings are; holds no secret. */
  readonly fingerprint: string;
  readonly promise: RepeatPromise;
}

export interface LiveNode {
  readonly node: string;
  readonly profile: NodeProfile;
}

export interface NodeStore {
  /** Says that this node lives, and what it runs. Another node may take its steps over `ttlMs` after the last call. */
  heartbeat(node: string, ttlMs: number, profile: NodeProfile): Promise<void>;
  /** The nodes that live, by the store's own clock. */
  list(): Promise<LiveNode[]>;
  /**
   * Frees the steps of dead nodes; what becomes of each: domain/delivery/takeover.ts. Resolves to the number of steps that are
   * made again or became unknown.
   */
  takeOver(rules: TakeOverRules): Promise<number>;
  /** Leaves: what this node still holds may be taken over at once. */
  leave(node: string): Promise<void>;
}

export interface RetentionCutoffs {
  readonly now: number;
  /** Unfetched records from before leave the queue. */
  readonly unfetchedBefore: number;
  /** Messages, records and open batches from before are deleted. */
  readonly inquiryBefore: number;
  /** Idempotency keys from before are deleted. */
  readonly idempotencyBefore: number;
  /** Tokens that expired before are deleted. */
  readonly tokensBefore: number;
  /** Parked receipts from before are deleted. */
  readonly parkedBefore: number;
  /** Of a carrier's parked receipts the oldest beyond this number are deleted. */
  readonly mostParked: number;
  /** Pending webhook deliveries whose window closed before are failed, whoever holds them. */
  readonly giveUpBefore: number;
  /** Webhook deliveries that ended before are deleted. */
  readonly deliveriesBefore: number;
}

export interface UpkeepStore {
  /** Deletes what is past its time, in bounded chunks; true if there may be more. */
  sweep(cutoffs: RetentionCutoffs): Promise<boolean>;
}
