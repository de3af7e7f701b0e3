import type { AccountId } from '../../domain/ids.ts';
import { type RegistryEntry, registryKey } from '../../domain/registry/registry.ts';
import type { TemplateEntry } from '../../domain/registry/template.ts';
import type { StoredTemplate, TemplateChange } from '../port/registry-store.ts';
import type { AnyRow } from './columns.ts';
import type { Records } from './records.ts';

/** The key of an entry in the tables `registry` and `template_history`. */
export function placeOf(account: AccountId, entry: RegistryEntry) {
  return { account, kind: entry.kind, key: registryKey(entry) };
}

/** Of a row with the key of its entry. */
export function templateOf(row: AnyRow, records: Records): StoredTemplate {
  const { revision, changed_at, entry } = row;
  return {
    entry: records.registryEntry.read(entry, row) as TemplateEntry,
    revision: Number(revision),
    changedAt: changed_at === null ? undefined : Number(changed_at),
  };
}

/** The same. */
export function templateChangeOf(row: AnyRow, records: Records): TemplateChange {
  const { at, by, revision, entry } = row;
  return {
    at: Number(at),
    by: String(by),
    revision: Number(revision),
    entry: records.templateCopy.read(entry, row),
  };
}
