/** What the operator's side keeps, for all nodes: sessions, the audit log, statistics. */

import type { AuditStore, SessionStore, StatisticStore } from '../port/operator-store.ts';
import { auditEntryOf } from '../rows.ts';
import type { Database } from './database.ts';

export function postgresSessions(db: Database): SessionStore {
  return {
    async add({ hash, authority, expiresAt }) {
      const statement = 'INSERT INTO session (hash, authority, expires_at) VALUES ($1, $2, $3)';
      await db.query(statement, [hash, authority, expiresAt]);
    },
    async find(hash) {
      const [row] = await db.query('SELECT authority, expires_at FROM session WHERE hash = $1', [hash]);
      return row && { hash, authority: String(row.authority), expiresAt: Number(row.expires_at) };
    },
    async remove(hash) {
      await db.query('DELETE FROM session WHERE hash = $1', [hash]);
    },
    async sweep(before) {
      await db.query('DELETE FROM session WHERE expires_at < $1', [before]);
    },
  };
}

export function postgresAudit(db: Database): AuditStore {
  return {
    async add({ at, who, action, target, details }) {
      const statement = 'INSERT INTO audit (at, who, action, target, details) VALUES ($1, $2, $3, $4, $5)';
      await db.query(statement, [at, who, action, target, JSON.stringify(details)]);
    },
    async list(limit, before = Number.MAX_SAFE_INTEGER) {
      const statement = 'SELECT * FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2';
      return (await db.query(statement, [before, limit])).map(auditEntryOf);
    },
    async sweep(before) {
      await db.query('DELETE FROM audit WHERE at < $1', [before]);
    },
  };
}

export function postgresStatistics(db: Database): StatisticStore {
  return {
    async add(statistics) {
      // In one order on every node, so that none waits for another that waits for it.
      const sorted = statistics.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
      await db.query(
        `INSERT INTO statistic (at, name, value)
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
         ON CONFLICT (at, name) DO UPDATE SET value = statistic.value + excluded.value`,
        [sorted.map(({ at }) => at), sorted.map(({ name }) => name), sorted.map(({ value }) => value)],
      );
    },
    async between(from, until) {
      const statement = 'SELECT * FROM statistic WHERE at >= $1 AND at < $2 ORDER BY at, name';
      const rows = await db.query(statement, [from, until]);
      return rows.map(({ at, name, value }) => ({
        at: Number(at),
        name: String(name),
        value: Number(value),
      }));
    },
    async sweep(before) {
      await db.query('DELETE FROM statistic WHERE at < $1', [before]);
    },
  };
}
