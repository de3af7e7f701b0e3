import type { Account } from '../../domain/account/account.ts';
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { ACCOUNT_BELONGINGS } from '../account-belongings.ts';
import type { AccountStore } from '../port/account-store.ts';
import { accountOf, usageOf } from '../records/account-columns.ts';
import type { Records } from '../records/records.ts';
import { openSums } from '../reservations.ts';
import { lockingBriefly } from './busy.ts';
import { type Database, LOOK_UP_SHARE } from './database.ts';

const CHANNEL = 'bongsu_account';
/**
 * A node cannot notice that its listening connection hangs. This bounds how long it may then use what it remembers, at the
 * price of one small query for each account in that time.
 */
const REMEMBERED_MS = 5_000;

const SELECT_FOR_UPDATE = 'SELECT * FROM account WHERE id = $1 AND deleted_at IS NULL FOR UPDATE';
// Two nodes may purge at the same time: each leaves alone what the other has locked.
const DELETIONS = ACCOUNT_BELONGINGS.map(
  ({ table, owner, key, condition = 'TRUE' }) => `
    DELETE FROM ${table} WHERE (${key}) IN (
      SELECT ${key} FROM ${table} WHERE ${owner} = :account AND ${condition}
       LIMIT :limit FOR UPDATE SKIP LOCKED)`,
);
const END_FILES = `
  UPDATE file SET expires_at = :now WHERE file_key = ANY (ARRAY(
    SELECT file_key FROM file WHERE account = :account AND expires_at > :now
     LIMIT :limit FOR UPDATE SKIP LOCKED))`;

const rowOf = (id: AccountId): string => `account ${id}`;

/**
 * Accounts are read on every call, so each node keeps them in memory. A change is announced to all nodes in the
 * transaction that makes it; a connection that begins to listen again may have missed some, so everything is dropped.
 */
export async function postgresAccounts(db: Database, { unreadable }: Records): Promise<AccountStore> {
  const known = new Map<AccountId, { readonly account: Account; readonly readAt: number }>();
  /** Counts changes, so that a row read before a change is not kept after it. */
  let changes = 0;

  function forget(id: AccountId): void {
    changes++;
    known.delete(id);
  }
  await db.listen(
    CHANNEL,
    id => forget(id as AccountId),
    () => {
      changes++;
      known.clear();
    },
  );

  async function read(id: AccountId): Promise<Account | undefined> {
    const changesBefore = changes;
    const readAt = db.clock.monotonic();
    const patience = { withinMs: db.timeoutMs * LOOK_UP_SHARE };
    const [row] = await db.query(
      'SELECT * FROM account WHERE id = $1 AND deleted_at IS NULL',
      [id],
      patience,
    );
    if (!row) return undefined;
    const account = unreadable.one('account', row, accountOf);
    if (changes === changesBefore) known.set(id, { account, readAt });
    return account;
  }

  return {
    async create(account) {
      const { id, passwordHash, blocked, tokenEpoch, createdAt, settings } = account;
      const { count } = await lockingBriefly(db, db, rowOf(id), tx =>
        tx.query(
          `INSERT INTO account (id, password_hash, blocked, token_epoch, created_at, settings)
         SELECT :id::text, :passwordHash, :blocked, :tokenEpoch, :createdAt, :settings
          WHERE NOT EXISTS (SELECT FROM former_account WHERE id = :id::text)
         ON CONFLICT DO NOTHING`,
          { id, passwordHash, blocked, tokenEpoch, createdAt, settings: JSON.stringify(settings) },
        ),
      );
      return count === 1;
    },
    find(id) {
      const cached = known.get(id);
      const isFresh = cached && db.clock.monotonic() - cached.readAt < REMEMBERED_MS;
      return isFresh ? cached.account : read(id);
    },
    async list() {
      const rows = await db.query('SELECT * FROM account WHERE deleted_at IS NULL ORDER BY id');
      return unreadable.each('account', rows, accountOf);
    },
    async update(id, edit) {
      const isChanged = await lockingBriefly(db, db, rowOf(id), async tx => {
        const [row] = await tx.query(SELECT_FOR_UPDATE, [id]);
        if (!row) return false;
        const { passwordHash, blocked, tokenEpoch, settings } = edit(
          unreadable.one('account', row, accountOf),
        );
        await tx.query(
          `UPDATE account SET password_hash = :passwordHash, blocked = :blocked, token_epoch = :tokenEpoch,
             settings = :settings WHERE id = :id
           RETURNING pg_notify('${CHANNEL}', id)`,
          { id, passwordHash, blocked, tokenEpoch, settings: JSON.stringify(settings) },
        );
        return true;
      });
      forget(id);
      return isChanged;
    },
    async remember(name, value) {
      await db.query('INSERT INTO remembered (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        name,
        value,
      ]);
      return (await recall(name)) ?? value;
    },
    recall,
    async rememberAddress({ hash, owner, seenAt }, keep) {
      await lockingBriefly(db, db, `address ${hash}`, tx =>
        tx.query(
          `INSERT INTO known_address (hash, owner, seen_at) VALUES (:hash, :owner, :seenAt)
         ON CONFLICT (hash) DO UPDATE SET seen_at = excluded.seen_at`,
          { hash, owner, seenAt },
        ),
      );
      await db.query(
        `DELETE FROM known_address WHERE hash = ANY (ARRAY(
           SELECT hash FROM known_address WHERE hash IN (
             SELECT hash FROM known_address WHERE owner = :owner ORDER BY seen_at DESC, hash OFFSET :keep)
           FOR UPDATE SKIP LOCKED))`,
        { owner, keep },
      );
    },
    async knowsAddress(hash) {
      const patience = { withinMs: db.timeoutMs * LOOK_UP_SHARE };
      return (await db.query('SELECT 1 FROM known_address WHERE hash = $1', [hash], patience)).length > 0;
    },
    async usage(id, now, most) {
      const [row] = await db.as(id).query(
        `SELECT counted.*, open.*, (SELECT count(*) FROM
           (SELECT FROM token WHERE account = :id AND expires_at > :now LIMIT :most) AS valid) AS tokens
           FROM (${openSums(':id')}) AS open LEFT JOIN account_usage AS counted ON counted.account = :id`,
        { id, now, most },
      );
      return usageOf(row ?? {});
    },
    async onTheWay(id, most) {
      const rows = await db.query('SELECT msg_key FROM job WHERE account = $1 LIMIT $2', [id, most]);
      return rows.map(row => row.msg_key as MsgKey);
    },
    async remove(id, at) {
      const { count } = await lockingBriefly(db, db, rowOf(id), tx =>
        tx.query(
          `UPDATE account SET deleted_at = :at WHERE id = :id AND deleted_at IS NULL AND blocked
         RETURNING pg_notify('${CHANNEL}', id)`,
          { id, at },
        ),
      );
      forget(id);
      return count === 1;
    },
    async deletedAt(id) {
      const [row] = await db.query(
        `SELECT deleted_at FROM account WHERE id = $1
         UNION ALL SELECT deleted_at FROM former_account WHERE id = $1`,
        [id],
      );
      return row?.deleted_at === null || row === undefined ? undefined : Number(row.deleted_at);
    },
    async purge(now, limit) {
      let isMore = false;
      for (const { id } of await db.query('SELECT id FROM account WHERE deleted_at IS NOT NULL')) {
        const account = String(id);
        for (const deletion of DELETIONS) {
          isMore = (await db.query(deletion, { account, limit })).count === limit || isMore;
        }
        isMore = (await db.query(END_FILES, { account, limit, now })).count === limit || isMore;
      }
      return isMore;
    },
    forget: deletedBefore =>
      db.transaction(async tx => {
        await tx.query(
          'DELETE FROM account_usage WHERE account IN (SELECT id FROM account WHERE deleted_at < $1)',
          [deletedBefore],
        );
        await tx.query(
          `WITH gone AS (DELETE FROM account WHERE deleted_at < $1 RETURNING id, deleted_at)
           INSERT INTO former_account (id, deleted_at) SELECT id, deleted_at FROM gone ON CONFLICT DO NOTHING`,
          [deletedBefore],
        );
      }),
  };

  async function recall(name: string): Promise<string | undefined> {
    const [row] = await db.query('SELECT value FROM remembered WHERE name = $1', [name]);
    return row && String(row.value);
  }
}
