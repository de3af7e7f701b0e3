import type { TokenRow, TokenStore } from '../port/account-store.ts';
import { bigint, type ColumnsOf, columnNames, integer, readerOf, text } from '../records/columns.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import { type Database, LOOK_UP_SHARE } from './database.ts';
import type { Grouping } from './grouping.ts';

const TOKEN_COLUMNS: ColumnsOf<TokenRow> = {
  hash: text('hash'),
  account: text('account'),
  expiresAt: bigint('expires_at'),
  epoch: integer('epoch'),
};
const tokenOf = readerOf(TOKEN_COLUMNS);

export function postgresTokens(db: Database, grouping: Grouping): TokenStore {
  const additions = grouping.group<TokenRow, void>({
    async commit(tokens) {
      await db.as(...tokens.map(({ account }) => account)).query(
        `INSERT INTO token (${columnNames(TOKEN_COLUMNS)})
         SELECT * FROM ${unnest('added', TOKEN_COLUMNS)}`,
        arraysOf('added', TOKEN_COLUMNS, tokens),
      );
      return tokens.map(() => undefined);
    },
  });
  return {
    add: token => additions.add(token),
    async find(hash) {
      // The row itself says whose it is.
      const patience = { withinMs: db.timeoutMs * LOOK_UP_SHARE };
      const [row] = await db.query('SELECT * FROM token WHERE hash = $1', [hash], patience);
      return row && tokenOf(row);
    },
    async trim(account, keep, limit) {
      const rows = await db.as(account).query(
        `DELETE FROM token WHERE hash = ANY (ARRAY(
           SELECT hash FROM token WHERE hash IN (
             SELECT hash FROM token WHERE account = :account
             ORDER BY expires_at DESC, hash LIMIT :limit OFFSET :keep)
           FOR UPDATE SKIP LOCKED))
         RETURNING hash`,
        { account, limit, keep },
      );
      return rows.map(({ hash }) => String(hash));
    },
  };
}
