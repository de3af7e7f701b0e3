import { namesOf, type Vault } from '../../platform/vault.ts';
import type { DataKeyStore } from '../port/data-key-store.ts';
import type { Database, Row } from './database.ts';

export function sqliteDataKeys(db: Database, vault: Vault | undefined): DataKeyStore {
  const select = db.prepare('SELECT id FROM data_key ORDER BY first_used_at, id');
  const insert = db.prepare('INSERT INTO data_key (id, first_used_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    own: namesOf(vault),
    async known() {
      return (select.all() as Row[]).map(({ id }) => String(id));
    },
    add: (id, now) => db.write(() => void insert.run(id, now)),
  };
}
