import type { OperatorTokenStore } from '../port/operator-store.ts';
import { OPERATOR_TOKEN_COLUMNS, operatorTokenOf } from '../records/operator-token-columns.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';

export function sqliteOperatorTokens(db: Database): OperatorTokenStore {
  const insert = inserter(db, 'operator_token', OPERATOR_TOKEN_COLUMNS);
  const select = db.prepare('SELECT * FROM operator_token WHERE id = ?');
  const selectByHash = db.prepare('SELECT * FROM operator_token WHERE hash = ?');
  const selectAll = db.prepare('SELECT * FROM operator_token ORDER BY name, created_at DESC, id');
  const count = db.prepare(
    `SELECT count(*) AS active, coalesce(sum(name = ?1), 0) AS namesakes FROM operator_token
      WHERE revoked_at IS NULL AND expires_at > ?2`,
  );
  const revoke = db.prepare('UPDATE operator_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const accept = db.prepare(
    `UPDATE operator_token SET hash = ?2, expires_at = ?3, lifetime_days = NULL
      WHERE hash = ?1 AND lifetime_days IS NOT NULL AND revoked_at IS NULL AND expires_at > ?4 RETURNING *`,
  );
  const setRole = db.prepare('UPDATE operator_token SET role = ? WHERE id = ? AND revoked_at IS NULL');
  const use = db.prepare('UPDATE operator_token SET last_used_at = ? WHERE id = ?');
  const dropOldest = db.prepare(
    `DELETE FROM operator_token WHERE id IN (
       SELECT id FROM operator_token WHERE revoked_at IS NOT NULL OR expires_at <= ?1
        ORDER BY coalesce(revoked_at, expires_at) DESC, id LIMIT -1 OFFSET ?2)`,
  );
  const sweep = db.prepare('DELETE FROM operator_token WHERE coalesce(revoked_at, expires_at) < ?');

  return {
    async add(token, most) {
      return db.write(() => {
        const { active, namesakes } = count.get(token.name, token.createdAt) as Row;
        if (Number(namesakes) > 0) return 'taken';
        if (Number(active) >= most) return 'full';
        dropOldest.run(token.createdAt, most);
        insert(token);
        return 'added';
      });
    },
    async list() {
      return (selectAll.all() as Row[]).map(operatorTokenOf);
    },
    async find(id) {
      const row = select.get(id) as Row | undefined;
      return row && operatorTokenOf(row);
    },
    async findByHash(hash) {
      const row = selectByHash.get(hash) as Row | undefined;
      return row && operatorTokenOf(row);
    },
    async revoke(id, at) {
      return db.write(() => revoke.run(at, id).changes === 1);
    },
    async accept(invitationHash, { hash, expiresAt }, at) {
      const row = await db.write(() => accept.get(invitationHash, hash, expiresAt, at) as Row | undefined);
      return row && operatorTokenOf(row);
    },
    async setRole(id, role) {
      return db.write(() => setRole.run(role, id).changes === 1);
    },
    async used(id, at) {
      await db.write(() => use.run(at, id));
    },
    async sweep(before) {
      await db.write(() => sweep.run(before));
    },
  };
}
