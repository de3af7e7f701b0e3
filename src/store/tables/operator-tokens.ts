import type { OperatorTokenStore } from '../port/operator-store.ts';
import { OPERATOR_TOKEN_COLUMNS, operatorTokenOf } from '../records/operator-token-columns.ts';
import { addedOf, insertOf, lock, sql, type Tables } from './tables.ts';

const ADD = insertOf('operator_token', OPERATOR_TOKEN_COLUMNS);
const COUNT = `
  SELECT count(*) AS active, count(*) FILTER (WHERE name = :name) AS namesakes FROM operator_token
   WHERE revoked_at IS NULL AND expires_at > :now`;
const DROP_OLDEST = `
  DELETE FROM operator_token WHERE id IN (
    SELECT id FROM operator_token WHERE revoked_at IS NOT NULL OR expires_at <= :now
     ORDER BY coalesce(revoked_at, expires_at) DESC, id LIMIT ALL OFFSET :most)`;
const LIST = 'SELECT * FROM operator_token ORDER BY name COLLATE "C", created_at DESC, id';
const FIND = 'SELECT * FROM operator_token WHERE id = :id';
const FIND_BY_HASH = 'SELECT * FROM operator_token WHERE hash = :hash';
const REVOKE = 'UPDATE operator_token SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL';
const ACCEPT = `
  UPDATE operator_token SET hash = :hash, expires_at = :expiresAt, lifetime_days = NULL
   WHERE hash = :invitationHash AND lifetime_days IS NOT NULL AND revoked_at IS NULL AND expires_at > :at
  RETURNING *`;
const SET_ROLE = 'UPDATE operator_token SET role = :role WHERE id = :id AND revoked_at IS NULL';
const USE = 'UPDATE operator_token SET last_used_at = :at WHERE id = :id';
const SWEEP = 'DELETE FROM operator_token WHERE coalesce(revoked_at, expires_at) < :before';

const turnOf = (id: string): string => `operator ${id}`;

export function operatorTokenTable(tables: Tables): OperatorTokenStore {
  return {
    add: (token, most) =>
      tables.write(undefined, 'operators', function* () {
        // One after the other, so that two nodes do not give one name twice. Reading goes on meanwhile.
        yield* lock('LOCK TABLE operator_token IN SHARE ROW EXCLUSIVE MODE');
        const now = token.createdAt;
        const [row] = yield* sql(COUNT, { name: token.name, now });
        if (Number(row?.namesakes) > 0) return 'taken';
        if (Number(row?.active) >= most) return 'full';
        yield* sql(DROP_OLDEST, { now, most });
        yield* sql(ADD, addedOf(OPERATOR_TOKEN_COLUMNS, [token]));
        return 'added';
      }),
    async list() {
      return (await tables.read(undefined, LIST)).map(operatorTokenOf);
    },
    async find(id) {
      const [row] = await tables.read(undefined, FIND, { id });
      return row && operatorTokenOf(row);
    },
    async findByHash(hash) {
      const [row] = await tables.read(undefined, FIND_BY_HASH, { hash });
      return row && operatorTokenOf(row);
    },
    async revoke(id, at) {
      return (await tables.write(undefined, turnOf(id), () => sql(REVOKE, { id, at }))).count === 1;
    },
    async accept(invitationHash, { hash, expiresAt }, at) {
      const work = () => sql(ACCEPT, { invitationHash, hash, expiresAt, at });
      const [row] = await tables.write(undefined, `invitation ${invitationHash}`, work);
      return row && operatorTokenOf(row);
    },
    async setRole(id, role) {
      return (await tables.write(undefined, turnOf(id), () => sql(SET_ROLE, { id, role }))).count === 1;
    },
    async used(id, at) {
      await tables.write(undefined, turnOf(id), () => sql(USE, { id, at }));
    },
    async sweep(before) {
      await tables.write(undefined, undefined, () => sql(SWEEP, { before }));
    },
  };
}
