import type { Account } from '../../domain/account/account.ts';
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { ACCOUNT_BELONGINGS } from '../account-belongings.ts';
import type { AccountStore } from '../port/account-store.ts';
import { accountOf, usageOf } from '../records/account-columns.ts';
import type { Records } from '../records/records.ts';
import { openSums } from '../reservations.ts';
import type { Database, Row } from './database.ts';

/** Jobs are looked through in stretches of so many, so that others get their turn. */
const STRETCH = 5000;

/**
 * Accounts are read on every call, so they are kept in memory. `PRAGMA data_version` changes when another process,
 * such as the CLI, has written: then the memory is dropped. Asking costs some 15 µs, so it is asked once for all the
 * calls of one turn of the event loop; a change is seen by every call that arrives after it.
 */
export function sqliteAccounts(db: Database, { unreadable }: Records): AccountStore {
  const dataVersion = db.prepare('PRAGMA data_version');
  const select = db.prepare('SELECT * FROM account WHERE id = ? AND deleted_at IS NULL');
  const selectAll = db.prepare('SELECT * FROM account WHERE deleted_at IS NULL ORDER BY id');
  const insert = db.prepare(
    `INSERT INTO account (id, password_hash, blocked, token_epoch, created_at, settings) SELECT ?1, ?2, ?3, ?4, ?5, ?6
      WHERE NOT EXISTS (SELECT 1 FROM former_account WHERE id = ?1)
     ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare(
    'UPDATE account SET password_hash = ?, blocked = ?, token_epoch = ?, settings = ? WHERE id = ?',
  );
  const remember = db.prepare('INSERT INTO remembered (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const recall = db.prepare('SELECT value FROM remembered WHERE name = ?');

  const addAddress = db.prepare(
    `INSERT INTO known_address (hash, owner, seen_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`,
  );
  const dropAddresses = db.prepare(
    `DELETE FROM known_address WHERE hash IN
       (SELECT hash FROM known_address WHERE owner = ? ORDER BY seen_at DESC, hash LIMIT -1 OFFSET ?)`,
  );
  const findAddress = db.prepare('SELECT 1 FROM known_address WHERE hash = ?');

  const selectUsage = db.prepare('SELECT forms, files, file_bytes FROM account_usage WHERE account = ?');
  const sumReservations = db.prepare(openSums('?'));
  const countTokens = db.prepare(
    `SELECT count(*) AS tokens FROM
       (SELECT 1 FROM token WHERE account = ? AND expires_at > ? LIMIT ?)`,
  );

  const jobsFrom = db.prepare('SELECT msg_key, account FROM job WHERE msg_key > ? ORDER BY msg_key LIMIT ?');
  const bury = db.prepare(
    'UPDATE account SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL AND blocked = 1',
  );
  const selectDeletedAt = db.prepare(
    `SELECT deleted_at FROM account WHERE id = ?1
     UNION ALL SELECT deleted_at FROM former_account WHERE id = ?1`,
  );
  const selectDeleted = db.prepare('SELECT id FROM account WHERE deleted_at IS NOT NULL');
  const deletions = ACCOUNT_BELONGINGS.map(({ table, owner, key, condition = 'TRUE' }) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN
         (SELECT ${key} FROM ${table} WHERE ${owner} = ?1 AND ${condition} LIMIT ?2)`,
    ),
  );
  const endFiles = db.prepare(
    `UPDATE file SET expires_at = ?3 WHERE file_key IN
       (SELECT file_key FROM file WHERE account = ?1 AND expires_at > ?3 LIMIT ?2)`,
  );
  const forgetUsage = db.prepare(
    'DELETE FROM account_usage WHERE account IN (SELECT id FROM account WHERE deleted_at < ?)',
  );
  const keepIds = db.prepare(
    `INSERT INTO former_account (id, deleted_at) SELECT id, deleted_at FROM account WHERE deleted_at < ?
     ON CONFLICT DO NOTHING`,
  );
  const forget = db.prepare('DELETE FROM account WHERE deleted_at < ?');

  const known = new Map<AccountId, Account>();
  let knownVersion: unknown;
  let isChecked = false;

  function forgetIfChanged(): void {
    if (isChecked) return;
    isChecked = true;
    setImmediate(() => {
      isChecked = false;
    });
    const version = (dataVersion.get() as Row).data_version;
    if (version === knownVersion) return;
    known.clear();
    knownVersion = version;
  }

  function recallNow(name: string): string | undefined {
    const row = recall.get(name) as Row | undefined;
    return row && String(row.value);
  }

  return {
    async create(account) {
      const { id, passwordHash, blocked, tokenEpoch, createdAt, settings } = account;
      return db.write(() => {
        const values = [id, passwordHash, blocked ? 1 : 0, tokenEpoch, createdAt, JSON.stringify(settings)];
        return insert.run(...values).changes === 1;
      });
    },
    find(id) {
      forgetIfChanged();
      const cached = known.get(id);
      if (cached) return cached;
      const row = select.get(id) as Row | undefined;
      if (!row) return undefined;
      const account = unreadable.one('account', row, accountOf);
      known.set(id, account);
      return account;
    },
    async list() {
      return unreadable.each('account', selectAll.all() as Row[], accountOf);
    },
    async update(id, edit) {
      const isChanged = await db.write(() => {
        const row = select.get(id) as Row | undefined;
        if (!row) return false;
        const { passwordHash, blocked, tokenEpoch, settings } = edit(
          unreadable.one('account', row, accountOf),
        );
        update.run(passwordHash, blocked ? 1 : 0, tokenEpoch, JSON.stringify(settings), id);
        return true;
      });
      known.delete(id);
      return isChanged;
    },
    async remember(name, value) {
      return db.write(() => {
        remember.run(name, value);
        return recallNow(name) ?? value;
      });
    },
    async recall(name) {
      return recallNow(name);
    },
    async rememberAddress({ hash, owner, seenAt }, keep) {
      await db.write(() => {
        addAddress.run(hash, owner, seenAt);
        dropAddresses.run(owner, keep);
      });
    },
    async knowsAddress(hash) {
      return findAddress.get(hash) !== undefined;
    },
    async usage(id, now, most) {
      const counted = selectUsage.get(id) as Row | undefined;
      const tokens = countTokens.get(id, now, most) as Row;
      const reservations = sumReservations.get(id) as Row;
      return usageOf({ ...counted, ...tokens, ...reservations });
    },
    async onTheWay(id, most) {
      const found: MsgKey[] = [];
      for (let after = ''; found.length < most; ) {
        const rows = jobsFrom.all(after, STRETCH) as Row[];
        for (const row of rows) if (row.account === id) found.push(row.msg_key as MsgKey);
        const last = rows.at(-1);
        if (!last || rows.length < STRETCH) break;
        after = String(last.msg_key);
        await nextTurn();
      }
      return found.slice(0, most);
    },
    async remove(id, at) {
      const isRemoved = await db.write(() => bury.run(at, id).changes === 1);
      known.delete(id);
      return isRemoved;
    },
    async deletedAt(id) {
      const row = selectDeletedAt.get(id) as Row | undefined;
      return typeof row?.deleted_at === 'number' ? row.deleted_at : undefined;
    },
    async purge(now, limit) {
      const ids = (selectDeleted.all() as Row[]).map(({ id }) => String(id));
      let isMore = false;
      for (const id of ids) {
        isMore =
          (await db.write(() => {
            const counts = deletions.map(statement => Number(statement.run(id, limit).changes));
            counts.push(Number(endFiles.run(id, limit, now).changes));
            return counts.some(count => count === limit);
          })) || isMore;
      }
      return isMore;
    },
    async forget(deletedBefore) {
      await db.write(() => {
        forgetUsage.run(deletedBefore);
        keepIds.run(deletedBefore);
        forget.run(deletedBefore);
      });
    },
  };
}
