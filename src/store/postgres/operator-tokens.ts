import type { OperatorTokenStore } from '../port/operator-store.ts';
import { columnNames } from '../records/columns.ts';
import { OPERATOR_TOKEN_COLUMNS, operatorTokenOf } from '../records/operator-token-columns.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';
import { arraysOf, unnest } from './unnest.ts';

const INSERT = `
  INSERT INTO operator_token (${columnNames(OPERATOR_TOKEN_COLUMNS)})
  SELECT * FROM ${unnest('added', OPERATOR_TOKEN_COLUMNS)}`;
const COUNT = `
  SELECT count(*)::int AS active, (count(*) FILTER (WHERE name = :name))::int AS namesakes FROM operator_token
   WHERE revoked_at IS NULL AND expires_at > :now`;
const DROP_OLDEST = `
  DELETE FROM operator_token WHERE id IN (
    SELECT id FROM operator_token WHERE revoked_at IS NOT NULL OR expires_at <= :now
     ORDER BY coalesce(revoked_at, expires_at) DESC, id OFFSET :most)`;

const rowOf = (id: string): string => `operator ${id}`;

export function postgresOperatorTokens(db: Database): OperatorTokenStore {
  return {
    async add(token, most) {
      return lockingBriefly(db, db, 'operators', async tx => {
        // One after the other, so that two nodes do not give one name twice. Reading goes on meanwhile.
        await tx.query('LOCK TABLE operator_token IN SHARE ROW EXCLUSIVE MODE');
        const now = token.createdAt;
        const [row] = await tx.query(COUNT, { name: token.name, now });
        if (Number(row?.namesakes) > 0) return 'taken';
        if (Number(row?.active) >= most) return 'full';
        await tx.query(DROP_OLDEST, { now, most });
        await tx.query(INSERT, arraysOf('added', OPERATOR_TOKEN_COLUMNS, [token]));
        return 'added';
      });
    },
    async list() {
      const rows = await db.query(
        'SELECT * FROM operator_token ORDER BY name COLLATE "C", created_at DESC, id',
      );
      return rows.map(operatorTokenOf);
    },
    async find(id) {
      const [row] = await db.query('SELECT * FROM operator_token WHERE id = $1', [id]);
      return row && operatorTokenOf(row);
    },
    async findByHash(hash) {
      const [row] = await db.query('SELECT * FROM operator_token WHERE hash = $1', [hash]);
      return row && operatorTokenOf(row);
    },
    async revoke(id, at) {
      const statement = 'UPDATE operator_token SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL';
      const { count } = await lockingBriefly(db, db, rowOf(id), tx => tx.query(statement, { id, at }));
      return count === 1;
    },
    async accept(invitationHash, { hash, expiresAt }, at) {
      const [row] = await lockingBriefly(db, db, `invitation ${invitationHash}`, tx =>
        tx.query(
          `UPDATE operator_token SET hash = :hash, expires_at = :expiresAt, lifetime_days = NULL
          WHERE hash = :invitationHash AND lifetime_days IS NOT NULL AND revoked_at IS NULL AND expires_at > :at
          RETURNING *`,
          { invitationHash, hash, expiresAt, at },
        ),
      );
      return row && operatorTokenOf(row);
    },
    async setRole(id, role) {
      const statement = 'UPDATE operator_token SET role = :role WHERE id = :id AND revoked_at IS NULL';
      const { count } = await lockingBriefly(db, db, rowOf(id), tx => tx.query(statement, { id, role }));
      return count === 1;
    },
    async used(id, at) {
      await lockingBriefly(db, db, rowOf(id), tx =>
        tx.query('UPDATE operator_token SET last_used_at = :at WHERE id = :id', { id, at }),
      );
    },
    async sweep(before) {
      await db.query('DELETE FROM operator_token WHERE coalesce(revoked_at, expires_at) < $1', [before]);
    },
  };
}
