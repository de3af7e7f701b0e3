/** The part of the store port for what is registered for an account: senders, templates and the like. */
import type { AccountId } from '../../domain/ids.ts';
import type { RegistryEntry, RegistryKind, RegistryRef } from '../../domain/registry/registry.ts';
import type { TemplateEntry, TemplateKind } from '../../domain/registry/template.ts';

/** Who changed something, and when. */
export interface RegistryChange {
  readonly at: number;
  readonly by: string;
}

export interface RegistryStore {
  /**
   * Writes all of them or none; one under the same kind and key is replaced. A change of a template is kept in its history.
   */
  put(account: AccountId, entries: readonly RegistryEntry[], change?: RegistryChange): Promise<void>;
  /** True if there was one. The history of a template goes with it. */
  remove(account: AccountId, kind: RegistryKind, key: string): Promise<boolean>;
  /** By kind and key; of one kind only where it is named. */
  list(account: AccountId, kind?: RegistryKind): Promise<RegistryEntry[]>;
  /** Those of the wanted entries that there are, in no order. Asked on the way of a send: one round trip. */
  find(account: AccountId, wanted: readonly RegistryRef[]): Promise<RegistryEntry[]>;
}

export interface StoredTemplate {
  readonly entry: TemplateEntry;
  /** Higher with every change. */
  readonly revision: number;
  /** Undefined if it was last changed before changes were recorded. */
  readonly changedAt: number | undefined;
}

export interface TemplateChange extends RegistryChange {
  readonly revision: number;
  /** As it was after the change. */
  readonly entry: TemplateEntry;
}

export interface TemplatePlace {
  readonly kind: TemplateKind;
  readonly key: string;
}

/** So many changes of a template are kept. */
export const KEPT_TEMPLATE_CHANGES = 30;

/** Templates, which are entries of the registry, with their revisions and their history. */
export interface TemplateStore {
  /** By kind and key, those after `after`. */
  page(
    account: AccountId,
    page: { readonly after: TemplatePlace | undefined; readonly limit: number },
  ): Promise<StoredTemplate[]>;
  find(account: AccountId, place: TemplatePlace): Promise<StoredTemplate | undefined>;
  /**
   * Writes a template in the place of one of this revision; with none, only where there is no such template. False if
   * somebody else was faster.
   */
  replace(
    account: AccountId,
    entry: TemplateEntry,
    revision: number | undefined,
    change: RegistryChange,
  ): Promise<boolean>;
  /** Newest first. */
  history(account: AccountId, place: TemplatePlace): Promise<TemplateChange[]>;
}
