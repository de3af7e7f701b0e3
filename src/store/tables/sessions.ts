import type { SessionStore } from '../port/operator-store.ts';
import { LAST_SUFFIX, SESSION_COLUMNS, sessionOf } from '../records/session-columns.ts';
import { addedOf, insertOf, sql, type Tables } from './tables.ts';

const ADD = insertOf('session', SESSION_COLUMNS);
const DROP_OLDEST = `
  DELETE FROM session WHERE hash IN (
    SELECT hash FROM session WHERE operator_id IS NOT DISTINCT FROM :operatorId::text
     ORDER BY opened_at DESC NULLS LAST, hash LIMIT ALL OFFSET :most)`;
const FIND = 'SELECT * FROM session WHERE hash = :hash';
const FIND_BY_PREFIX = 'SELECT * FROM session WHERE hash >= :prefix AND hash < :end LIMIT 1';
const LIST = `
  SELECT * FROM session WHERE expires_at > :now AND (:operatorId::text IS NULL OR operator_id = :operatorId)
   ORDER BY opened_at DESC NULLS LAST, hash LIMIT :limit`;
const USE = 'UPDATE session SET used_at = :at WHERE hash = :hash';
const REMOVE = 'DELETE FROM session WHERE hash = :hash';
const SWEEP = 'DELETE FROM session WHERE expires_at < :before';

const turnOf = (hash: string): string => `session ${hash}`;

export function sessionTable(tables: Tables): SessionStore {
  return {
    async add(session, most) {
      const { operatorId = null } = session;
      await tables.write(undefined, `sessions of ${operatorId}`, function* () {
        yield* sql(ADD, addedOf(SESSION_COLUMNS, [session]));
        yield* sql(DROP_OLDEST, { operatorId, most });
      });
    },
    async find(hash) {
      const [row] = await tables.read(undefined, FIND, { hash });
      return row && sessionOf(row);
    },
    async findByPrefix(prefix) {
      const [row] = await tables.read(undefined, FIND_BY_PREFIX, { prefix, end: `${prefix}${LAST_SUFFIX}` });
      return row && sessionOf(row);
    },
    async list({ now, limit, operatorId = null }) {
      return (await tables.read(undefined, LIST, { now, limit, operatorId })).map(sessionOf);
    },
    async used(hash, at) {
      await tables.write(undefined, turnOf(hash), () => sql(USE, { hash, at }));
    },
    async remove(hash) {
      return (await tables.write(undefined, turnOf(hash), () => sql(REMOVE, { hash }))).count === 1;
    },
    async sweep(before) {
      await tables.write(undefined, undefined, () => sql(SWEEP, { before }));
    },
  };
}
