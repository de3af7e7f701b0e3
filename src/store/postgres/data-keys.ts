import { namesOf, type Vault } from '../../platform/vault.ts';
import type { DataKeyStore } from '../port/data-key-store.ts';
import type { Database } from './database.ts';

export function postgresDataKeys(db: Database, vault: Vault | undefined): DataKeyStore {
  return {
    own: namesOf(vault),
    async known() {
      return (await db.query('SELECT id FROM data_key ORDER BY first_used_at, id')).map(({ id }) =>
        String(id),
      );
    },
    async add(id, now) {
      await db.query('INSERT INTO data_key (id, first_used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        id,
        now,
      ]);
    },
  };
}
