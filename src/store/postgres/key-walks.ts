/**
 * Walks over requests in the order of their keys, which are made before they are committed: a connection that stalls may lie in
 * between, for any time.
 *
 * A walk first commits a promise of how far it will go, and then looks for writers. Whoever stores requests holds, until its
 * commit can be seen, a shared lock named by the second of its oldest key, and then reads the promise (migration 0058). So
 * whatever is stored behind a promise is either held by a writer that the walk sees, and stays below; or its writer saw the
 * promise, and has noted it for the walk (`late_request`, `text_left`).
 *
 * No clock takes part, no right beyond those of the tables, and no session. Readers hold up nothing, however long their
 * transactions are, nor do writers of other tables.
 */
import { timePrefix } from '../../domain/ids.ts';
import { type KeyWalk, type KeyWalks, sql } from '../tables/tables.ts';
import type { Database } from './database.ts';

const WALKS: Readonly<Record<KeyWalk, { position: string; key: string; table: string }>> = {
  index: { position: 'SELECT msg_key FROM index_position', key: 'msg_key', table: 'message' },
  rollups: { position: 'SELECT msg_key FROM rollup_position', key: 'msg_key', table: 'message' },
  texts: { position: 'SELECT request_id FROM text_position', key: 'request_id', table: 'request' },
};

/** Only where there is something to walk, so that an idle gateway writes nothing. */
const promiseSql = ({ position, key, table }: (typeof WALKS)[KeyWalk]): string => `
  UPDATE key_walk SET promised = :upTo WHERE follower = :walk AND promised < :upTo AND (
    SELECT ${key} FROM ${table} WHERE ${key} > (${position}) AND ${key} < :upTo ORDER BY ${key} LIMIT 1) IS NOT NULL`;

const BOUND = `
  SELECT promised, (
    SELECT min(objid::bigint) FROM pg_locks
     WHERE locktype = 'advisory' AND mode = 'ShareLock' AND classid::bigint = key_walk.lock AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ) AS held_second
    FROM key_walk WHERE follower = :walk`;

export function keyWalks(db: Database): KeyWalks {
  return {
    async promise(walk, upTo) {
      await db.query(promiseSql(WALKS[walk]), { walk, upTo });
    },
    *boundOf(walk, upTo) {
      const [row] = yield* sql(BOUND, { walk });
      const promised = String(row?.promised ?? '');
      const bound = promised < upTo ? promised : upTo;
      const held = row?.held_second;
      if (held === null || held === undefined) return bound;
      const second = timePrefix(Number(held) * 1000);
      return second < bound ? second : bound;
    },
  };
}
