import { registryKey } from '../../domain/registry/registry.ts';
import type { RegistryStore } from '../port/registry-store.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

export function sqliteRegistry(db: Database, { registryEntry }: Records): RegistryStore {
  const entryOf = ({ entry }: Row) => registryEntry.read(entry);
  const put = db.prepare(
    `INSERT INTO registry (account, kind, key, entry) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET entry = excluded.entry`,
  );
  const remove = db.prepare('DELETE FROM registry WHERE account = ? AND kind = ? AND key = ?');
  const selectAll = db.prepare('SELECT entry FROM registry WHERE account = ? ORDER BY kind, key');
  const selectKind = db.prepare('SELECT entry FROM registry WHERE account = ? AND kind = ? ORDER BY key');
  const select = db.prepare('SELECT entry FROM registry WHERE account = ? AND kind = ? AND key = ?');
  return {
    async put(account, entries) {
      await db.write(() => {
        for (const entry of entries)
          put.run(account, entry.kind, registryKey(entry), registryEntry.write(entry));
      });
    },
    remove: (account, kind, key) => db.write(() => remove.run(account, kind, key).changes === 1),
    async list(account, kind) {
      const rows = kind === undefined ? selectAll.all(account) : selectKind.all(account, kind);
      return (rows as Row[]).map(entryOf);
    },
    async find(account, wanted) {
      return wanted.flatMap(({ kind, key }) => {
        const rows = key === undefined ? selectKind.all(account, kind) : select.all(account, kind, key);
        return (rows as Row[]).map(entryOf);
      });
    },
  };
}
