/**
 * The store port: everything that outlives the process, in the language of the gateway.
 *
 * Two engines implement it (sqlite/, postgres/) and one contract suite holds them to it. Three promises matter most:
 *  - a write has reached the disk when its promise resolves;
 *  - every method that takes an account sees that account's rows only;
 *  - concurrent calls of `accept` share a transaction, and so do concurrent calls of `settle` (group commit): the
 *    caller sees one promise and never a half-done batch.
 *
 * A method that cannot do its work rejects with a StoreFault, in bounded time; any other error is a bug.
 */
import type { Blobs } from './blobs.ts';
import type { AccountStore, TokenStore } from './port/account-store.ts';
import type { CarrierStore } from './port/carrier-store.ts';
import type { ClusterStore } from './port/cluster-store.ts';
import type { DataKeyStore } from './port/data-key-store.ts';
import type { Durability } from './port/durability.ts';
import type { FileStore } from './port/file-store.ts';
import type { FormStore } from './port/form-store.ts';
import type { InboundStore } from './port/inbound-store.ts';
import type { MessageStore } from './port/message-store.ts';
import type { NodeStore } from './port/node-store.ts';
import type {
  AuditStore,
  OperatorTokenStore,
  ResendStore,
  SearchStore,
  SessionStore,
  StatisticStore,
} from './port/operator-store.ts';
import type { OptOutStore } from './port/opt-out-store.ts';
import type { PrivacyStore } from './port/privacy-store.ts';
import type { QueueStore } from './port/queue-store.ts';
import type { RecentSendStore } from './port/recent-send-store.ts';
import type { RegistryStore, TemplateStore } from './port/registry-store.ts';
import type { ReportStore } from './port/report-store.ts';
import type { ReservationStore } from './port/reservation-store.ts';
import type { RollupStore } from './port/rollup-store.ts';
import type { UpkeepStore } from './port/upkeep-store.ts';
import type { WebhookStore } from './port/webhook-store.ts';

export { firstStepOf } from './first-step.ts';
export type * from './port/account-store.ts';
export type * from './port/carrier-store.ts';
export type * from './port/cluster-store.ts';
export type * from './port/data-key-store.ts';
export type * from './port/durability.ts';
export type * from './port/file-store.ts';
export type * from './port/form-store.ts';
export type * from './port/inbound-store.ts';
export { INBOUND_HANDOVERS } from './port/inbound-store.ts';
export type * from './port/message-store.ts';
export type * from './port/node-store.ts';
export type * from './port/operator-store.ts';
export type * from './port/opt-out-store.ts';
export type * from './port/privacy-store.ts';
export { NOTHING_ERASED, sumOfErased } from './port/privacy-store.ts';
export type * from './port/queue-store.ts';
export type * from './port/recent-send-store.ts';
export type * from './port/registry-store.ts';
export type * from './port/report-store.ts';
export type * from './port/reservation-store.ts';
export type * from './port/rollup-store.ts';
export type * from './port/sum-batch.ts';
export type * from './port/upkeep-store.ts';
export type * from './port/webhook-store.ts';
export { StoreFault } from './store-fault.ts';
export { UNREADABLE } from './unreadable.ts';

export interface Store {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly messages: MessageStore;
  readonly recentSends: RecentSendStore;
  readonly queue: QueueStore;
  readonly reports: ReportStore;
  readonly inbound: InboundStore;
  readonly forms: FormStore;
  readonly reservations: ReservationStore;
  readonly registry: RegistryStore;
  readonly templates: TemplateStore;
  readonly optOuts: OptOutStore;
  readonly files: FileStore;
  /** Their bytes, where the engine can keep them. */
  readonly blobs: Blobs | undefined;
  readonly carriers: CarrierStore;
  readonly webhooks: WebhookStore;
  readonly nodes: NodeStore;
  readonly cluster: ClusterStore;
  readonly upkeep: UpkeepStore;
  readonly privacy: PrivacyStore;
  readonly search: SearchStore;
  readonly resends: ResendStore;
  readonly operatorTokens: OperatorTokenStore;
  readonly sessions: SessionStore;
  readonly audit: AuditStore;
  readonly statistics: StatisticStore;
  readonly rollups: RollupStore;
  readonly dataKeys: DataKeyStore;
  /** Resolves when the store answers; rejects when it does not. */
  ping(): Promise<void>;
  /** Writes next to nothing, durably: rejects where a store that can be read takes no writes. */
  probeWrite(): Promise<void>;
  /** Whether what it acknowledged survives a crash, as it is set up now. Cheap, and asked again while it is open. */
  durability(): Promise<Durability>;
  close(): Promise<void>;
}
