import type { FileKey } from '../../domain/ids.ts';
import type { FileStore } from '../port/file-store.ts';
import { FILE_COLUMNS, fileOf, usedUpBy } from '../records/file-columns.ts';
import { addedOf, insertOf, lockName, sql, type Tables } from './tables.ts';

/** After every key. */
const LAST_KEY = '~' as FileKey;
/** Sets our locks by account apart from others. */
const FILE_LOCK = 5;

const ADD = insertOf('file', FILE_COLUMNS);
const USED = 'SELECT files, file_bytes FROM account_usage WHERE account = :account';
const FIND = 'SELECT * FROM file WHERE file_key = ANY (:keys::text[]) AND account = :account';
const FIND_BY_KEY = 'SELECT * FROM file WHERE file_key = :fileKey';
const LIST = 'SELECT * FROM file WHERE file_key < :before ORDER BY file_key DESC LIMIT :limit';
const LIST_OF_ACCOUNT = `
  SELECT * FROM file WHERE account = :account AND file_key < :before ORDER BY file_key DESC LIMIT :limit`;
const EXPIRE = 'UPDATE file SET expires_at = :at WHERE file_key = :fileKey AND expires_at > :at';
const VALID_TWIN = `
  EXISTS (SELECT 1 FROM file AS valid WHERE valid.content_hash = old.content_hash AND valid.expires_at > :now)`;
// Two nodes may sweep at the same time: each leaves alone what the other has locked.
const DELETE_SHARED = `
  DELETE FROM file WHERE file_key = ANY (ARRAY(
    SELECT file_key FROM file AS old WHERE expires_at <= :now AND ${VALID_TWIN}
     LIMIT :limit FOR UPDATE SKIP LOCKED))`;
const UNNEEDED = `
  SELECT DISTINCT content_hash FROM file AS old WHERE expires_at <= :now AND NOT ${VALID_TWIN} LIMIT :limit`;
const RELEASE = 'DELETE FROM file WHERE content_hash = :contentHash AND expires_at <= :now';
const NAMED = 'SELECT 1 FROM file WHERE content_hash = :contentHash LIMIT 1';

export function fileTable(tables: Tables): FileStore {
  return {
    add: (file, quota) =>
      tables.write(file.account, `files ${file.account}`, function* () {
        if (quota) {
          // Two that look at the same time would both find room for one.
          yield* lockName(file.account, FILE_LOCK);
          const [used] = yield* sql(USED, { account: file.account });
          const usedUp = usedUpBy(file, quota, used);
          if (usedUp) return usedUp;
        }
        yield* sql(ADD, addedOf(FILE_COLUMNS, [file]));
        return undefined;
      }),
    async find(account, keys) {
      return (await tables.read(account, FIND, { account, keys })).map(fileOf);
    },
    async findByKey(fileKey) {
      const [row] = await tables.read(undefined, FIND_BY_KEY, { fileKey });
      return row && fileOf(row);
    },
    async list(limit, account, before = LAST_KEY) {
      const rows =
        account === undefined
          ? await tables.read(undefined, LIST, { before, limit })
          : await tables.read(account, LIST_OF_ACCOUNT, { account, before, limit });
      return rows.map(fileOf);
    },
    async expire(fileKey, at) {
      const work = () => sql(EXPIRE, { fileKey, at });
      return (await tables.write(undefined, `file ${fileKey}`, work)).count === 1;
    },
    sweep: (now, limit) =>
      tables.write(undefined, undefined, function* () {
        const { count } = yield* sql(DELETE_SHARED, { now, limit });
        const unneeded = (yield* sql(UNNEEDED, { now, limit })).map(row => String(row.content_hash));
        return { unneeded, isMore: count === limit || unneeded.length === limit };
      }),
    async isNamed(contentHash) {
      return (await tables.read(undefined, NAMED, { contentHash })).length > 0;
    },
    release: (contentHash, now) =>
      tables.write(undefined, undefined, function* () {
        yield* sql(RELEASE, { contentHash, now });
        // A second statement, so that it sees everything that has been committed by now.
        return (yield* sql(NAMED, { contentHash })).length > 0;
      }),
  };
}
