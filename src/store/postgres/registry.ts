import { type RegistryRef, registryKey } from '../../domain/registry/registry.ts';
import type { RegistryStore } from '../port/registry-store.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

export function postgresRegistry(db: Database, { registryEntry }: Records): RegistryStore {
  const entryOf = ({ entry }: Row) => registryEntry.read(entry);
  return {
    async put(account, entries) {
      // One statement may not write a row twice: of two entries under one key the later counts.
      const latest = new Map(entries.map(entry => [`${entry.kind} ${registryKey(entry)}`, entry]));
      const rows = [...latest.values()];
      await db.as(account).query(
        `INSERT INTO registry (account, kind, key, entry)
         SELECT :account, * FROM unnest(:kinds::text[], :keys::text[], :entries::text[])
         ON CONFLICT (account, kind, key) DO UPDATE SET entry = excluded.entry`,
        {
          account,
          kinds: rows.map(({ kind }) => kind),
          keys: rows.map(registryKey),
          entries: rows.map(entry => registryEntry.write(entry)),
        },
      );
    },
    async remove(account, kind, key) {
      const { count } = await db
        .as(account)
        .query('DELETE FROM registry WHERE account = :account AND kind = :kind AND key = :key', {
          account,
          kind,
          key,
        });
      return count === 1;
    },
    async list(account, kind) {
      const rows = await db
        .as(account)
        .query(
          `SELECT entry FROM registry WHERE account = $1 AND kind = coalesce($2::text, kind) ORDER BY kind, key`,
          [account, kind ?? null],
        );
      return rows.map(entryOf);
    },
    async find(account, wanted) {
      const named = wanted.filter(ref => ref.key !== undefined);
      const rows = await db.as(account).query(
        `SELECT registry.entry
         FROM unnest(:kinds::text[], :keys::text[]) AS wanted (kind, key)
         JOIN registry ON registry.account = :account AND registry.kind = wanted.kind AND registry.key = wanted.key
         UNION ALL
         SELECT entry FROM registry WHERE account = :account AND kind = ANY (:wholeKinds::text[])`,
        {
          account,
          kinds: named.map(kindOf),
          keys: named.map(({ key }) => key ?? null),
          wholeKinds: wholeKinds(wanted),
        },
      );
      return rows.map(entryOf);
    },
  };
}

function wholeKinds(wanted: readonly RegistryRef[]): string[] {
  return wanted.filter(ref => ref.key === undefined).map(kindOf);
}

function kindOf({ kind }: RegistryRef): string {
  return kind;
}
