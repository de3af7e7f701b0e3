import type { Account } from '../../domain/account/account.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountStore } from '../port/account-store.ts';
import { accountOf, usageOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

/**
 * Accounts are read on every call, so they are kept in memory. `PRAGMA data_version` changes when another process,
 * such as the CLI, has written: then the memory is dropped. Asking costs some 15 µs, so it is asked once for all the
 * calls of one turn of the event loop; a change is seen by every call that arrives after it.
 */
export function sqliteAccounts(db: Database): AccountStore {
  const dataVersion = db.prepare('PRAGMA data_version');
  const select = db.prepare('SELECT * FROM account WHERE id = ?');
  const selectAll = db.prepare('SELECT * FROM account ORDER BY id');
  const insert = db.prepare(
    `INSERT INTO account (id, password_hash, blocked, token_epoch, created_at, settings) VALUES (?, ?, ?, ?, ?, ?)
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
  const countTokens = db.prepare(
    `SELECT count(*) AS tokens FROM
       (SELECT 1 FROM token WHERE account = ? AND expires_at > ? LIMIT ?)`,
  );

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
    async find(id) {
      forgetIfChanged();
      const cached = known.get(id);
      if (cached) return cached;
      const row = select.get(id) as Row | undefined;
      if (!row) return undefined;
      const account = accountOf(row);
      known.set(id, account);
      return account;
    },
    async list() {
      return (selectAll.all() as Row[]).map(accountOf);
    },
    async update(id, edit) {
      const isChanged = await db.write(() => {
        const row = select.get(id) as Row | undefined;
        if (!row) return false;
        const { passwordHash, blocked, tokenEpoch, settings } = edit(accountOf(row));
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
    async usage(id, now, mostTokens) {
      const counted = selectUsage.get(id) as Row | undefined;
      const { tokens } = countTokens.get(id, now, mostTokens) as Row;
      return usageOf({ ...counted, tokens });
    },
  };
}
