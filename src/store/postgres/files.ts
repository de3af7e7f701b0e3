import type { FileStore } from '../port/file-store.ts';
import { columnNames } from '../records/columns.ts';
import { FILE_COLUMNS, fileOf, usedUpBy } from '../records/file-columns.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';
import { arraysOf, unnest } from './unnest.ts';

const INSERT = `
  INSERT INTO file (${columnNames(FILE_COLUMNS)}) SELECT * FROM ${unnest('added', FILE_COLUMNS)}`;
/** Sets our locks by account apart from others. */
const FILE_LOCK = 5;
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, ${FILE_LOCK}))`;
const USED = 'SELECT files, file_bytes FROM account_usage WHERE account = $1';
const VALID_TWIN = `
  EXISTS (SELECT FROM file AS valid WHERE valid.content_hash = old.content_hash AND valid.expires_at > $1)`;
// Two nodes may sweep at the same time: each leaves alone what the other has locked.
const DELETE_SHARED = `
  DELETE FROM file WHERE file_key = ANY (ARRAY(
    SELECT file_key FROM file AS old WHERE expires_at <= $1 AND ${VALID_TWIN}
     LIMIT $2 FOR UPDATE SKIP LOCKED))`;
const UNNEEDED = `
  SELECT DISTINCT content_hash FROM file AS old WHERE expires_at <= $1 AND NOT ${VALID_TWIN} LIMIT $2`;

const LIST = `
  SELECT * FROM file WHERE (:account::text IS NULL OR account = :account) AND file_key < :before
   ORDER BY file_key DESC LIMIT :limit`;
/** After every key. */
const LAST_KEY = '~';

export function postgresFiles(db: Database): FileStore {
  async function isNamed(contentHash: string): Promise<boolean> {
    return (await db.query('SELECT 1 FROM file WHERE content_hash = $1 LIMIT 1', [contentHash])).length > 0;
  }

  return {
    add: (file, quota) =>
      lockingBriefly(db, db.as(file.account), `files ${file.account}`, async tx => {
        if (quota) {
          // Two that look at the same time would both find room for one.
          await tx.query(LOCK, [file.account]);
          const [used] = await tx.query(USED, [file.account]);
          const usedUp = usedUpBy(file, quota, used);
          if (usedUp) return usedUp;
        }
        await tx.query(INSERT, arraysOf('added', FILE_COLUMNS, [file]));
        return undefined;
      }),
    async find(account, keys) {
      const statement = 'SELECT * FROM file WHERE file_key = ANY ($1::text[]) AND account = $2';
      return (await db.as(account).query(statement, [keys, account])).map(fileOf);
    },
    async findByKey(fileKey) {
      const [row] = await db.query('SELECT * FROM file WHERE file_key = $1', [fileKey]);
      return row && fileOf(row);
    },
    async list(limit, account, before) {
      const session = account === undefined ? db : db.as(account);
      const rows = await session.query(LIST, { limit, account: account ?? null, before: before ?? LAST_KEY });
      return rows.map(fileOf);
    },
    async expire(fileKey, at) {
      const statement = 'UPDATE file SET expires_at = :at WHERE file_key = :fileKey AND expires_at > :at';
      const { count } = await lockingBriefly(db, db, `file ${fileKey}`, tx =>
        tx.query(statement, { fileKey, at }),
      );
      return count === 1;
    },
    async sweep(now, limit) {
      const { count } = await db.query(DELETE_SHARED, [now, limit]);
      const unneeded = (await db.query(UNNEEDED, [now, limit])).map(row => String(row.content_hash));
      return { unneeded, isMore: count === limit || unneeded.length === limit };
    },
    isNamed,
    async release(contentHash, now) {
      await db.query('DELETE FROM file WHERE content_hash = $1 AND expires_at <= $2', [contentHash, now]);
      // A second statement, so that it sees everything that has been committed by now.
      return isNamed(contentHash);
    },
  };
}
