/** The part of the store port for what is registered for an account: senders, templates and the like. */
import type { AccountId } from '../../domain/ids.ts';
import type { RegistryEntry, RegistryKind, RegistryRef } from '../../domain/registry/registry.ts';

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
