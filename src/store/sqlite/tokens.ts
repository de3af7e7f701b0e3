import type { AccountId } from '../../domain/ids.ts';
import type { TokenStore } from '../port/account-store.ts';
import type { Database, Row } from './database.ts';

export function sqliteTokens(db: Database): TokenStore {
  const insert = db.prepare('INSERT INTO token (hash, account, expires_at) VALUES (?, ?, ?)');
  const select = db.prepare('SELECT account, expires_at FROM token WHERE hash = ?');
  return {
    async add({ hash, account, expiresAt }) {
      await db.write(() => insert.run(hash, account, expiresAt));
    },
    async find(hash) {
      const row = select.get(hash) as Row | undefined;
      return row && { hash, account: row.account as AccountId, expiresAt: Number(row.expires_at) };
    },
  };
}
