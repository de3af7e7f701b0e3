import type { FileKey } from '../../domain/ids.ts';
import type { FileRow, FileStore } from '../port/file-store.ts';
import { FILE_COLUMNS, fileOf, usedUpBy } from '../records/file-columns.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';

/** After every key. */
const LAST_KEY = '~' as FileKey;

export function sqliteFiles(db: Database): FileStore {
  const insert = inserter(db, 'file', FILE_COLUMNS);
  const select = db.prepare('SELECT * FROM file WHERE file_key = ?');
  const selectAll = db.prepare('SELECT * FROM file WHERE file_key < ? ORDER BY file_key DESC LIMIT ?');
  const selectOf = db.prepare(
    'SELECT * FROM file WHERE account = ? AND file_key < ? ORDER BY file_key DESC LIMIT ?',
  );
  const expire = db.prepare('UPDATE file SET expires_at = ? WHERE file_key = ? AND expires_at > ?');
  const selectUsage = db.prepare('SELECT files, file_bytes FROM account_usage WHERE account = ?');
  const deleteShared = db.prepare(
    `DELETE FROM file WHERE file_key IN
       (SELECT file_key FROM file AS old
         WHERE expires_at <= ?1
           AND EXISTS (SELECT 1 FROM file AS valid
                        WHERE valid.content_hash = old.content_hash AND valid.expires_at > ?1)
         LIMIT ?2)`,
  );
  const selectUnneeded = db.prepare(
    `SELECT DISTINCT content_hash FROM file AS old
      WHERE expires_at <= ?1
        AND NOT EXISTS (SELECT 1 FROM file AS valid
                         WHERE valid.content_hash = old.content_hash AND valid.expires_at > ?1)
      LIMIT ?2`,
  );
  const deleteExpired = db.prepare('DELETE FROM file WHERE content_hash = ? AND expires_at <= ?');
  const selectNamed = db.prepare('SELECT 1 FROM file WHERE content_hash = ? LIMIT 1');

  function find(fileKey: FileKey): FileRow | undefined {
    const row = select.get(fileKey) as Row | undefined;
    return row && fileOf(row);
  }

  return {
    add: (file, quota) =>
      db.write(() => {
        const used = selectUsage.get(file.account) as Row | undefined;
        const usedUp = quota && usedUpBy(file, quota, used);
        if (!usedUp) insert(file);
        return usedUp;
      }),
    async find(account, keys) {
      return [...new Set(keys)].flatMap(key => {
        const file = find(key);
        return file?.account === account ? [file] : [];
      });
    },
    async findByKey(fileKey) {
      return find(fileKey);
    },
    async list(limit, account, before = LAST_KEY) {
      const rows =
        account === undefined ? selectAll.all(before, limit) : selectOf.all(account, before, limit);
      return (rows as Row[]).map(fileOf);
    },
    expire: (fileKey, at) => db.write(() => expire.run(at, fileKey, at).changes === 1),
    sweep: (now, limit) =>
      db.write(() => {
        const shared = Number(deleteShared.run(now, limit).changes);
        const unneeded = (selectUnneeded.all(now, limit) as Row[]).map(row => String(row.content_hash));
        return { unneeded, isMore: shared === limit || unneeded.length === limit };
      }),
    async isNamed(contentHash) {
      return selectNamed.get(contentHash) !== undefined;
    },
    release: (contentHash, now) =>
      db.write(() => {
        deleteExpired.run(contentHash, now);
        return selectNamed.get(contentHash) !== undefined;
      }),
  };
}
