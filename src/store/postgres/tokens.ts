import type { AccountId } from '../../domain/ids.ts';
import type { TokenRow, TokenStore } from '../port/account-store.ts';
import { type Database, LOOK_UP_SHARE } from './database.ts';
import type { Grouping } from './grouping.ts';

export function postgresTokens(db: Database, grouping: Grouping): TokenStore {
  const additions = grouping.group<TokenRow, void>({
    async commit(tokens) {
      await db.query(
        `INSERT INTO token (hash, account, expires_at)
         SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])`,
        [
          tokens.map(({ hash }) => hash),
          tokens.map(({ account }) => account),
          tokens.map(({ expiresAt }) => expiresAt),
        ],
      );
      return tokens.map(() => undefined);
    },
  });
  return {
    add: token => additions.add(token),
    async find(hash) {
      const text = 'SELECT account, expires_at FROM token WHERE hash = $1';
      const [row] = await db.query(text, [hash], { withinMs: db.timeoutMs * LOOK_UP_SHARE });
      return row && { hash, account: row.account as AccountId, expiresAt: Number(row.expires_at) };
    },
  };
}
