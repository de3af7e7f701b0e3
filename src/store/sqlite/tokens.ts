import type { AccountId } from '../../domain/ids.ts';
import type { TokenStore } from '../port/account-store.ts';
import type { Database, Row } from './database.ts';

export function sqliteTokens(db: Database): TokenStore {
  const insert = db.prepare('INSERT INTO token (hash, account, expires_at, epoch) VALUES (?, ?, ?, ?)');
  const select = db.prepare('SELECT account, expires_at, epoch FROM token WHERE hash = ?');
  const beyond = db.prepare(
    'SELECT hash FROM token WHERE account = ? ORDER BY expires_at DESC, hash LIMIT ? OFFSET ?',
  );
  const remove = db.prepare('DELETE FROM token WHERE hash = ?');
  return {
    async add({ hash, account, expiresAt, epoch }) {
      await db.write(() => insert.run(hash, account, expiresAt, epoch));
    },
    async find(hash) {
      const row = select.get(hash) as Row | undefined;
      if (!row) return undefined;
      const { account, expires_at: expiresAt, epoch } = row;
      return { hash, account: account as AccountId, expiresAt: Number(expiresAt), epoch: Number(epoch) };
    },
    async trim(account, keep, limit) {
      return db.write(() => {
        const hashes = (beyond.all(account, limit, keep) as Row[]).map(({ hash }) => String(hash));
        for (const hash of hashes) remove.run(hash);
        return hashes;
      });
    },
  };
}
