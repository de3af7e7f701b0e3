/** What the operator's side keeps: sessions, the audit log, statistics. */

import type { AuditStore, SessionStore, StatisticStore } from '../port/operator-store.ts';
import type { Records } from '../records/records.ts';
import { LAST_SUFFIX, SESSION_COLUMNS, sessionOf } from '../records/session-columns.ts';
import { auditEntryOf } from '../rows.ts';
import { ageWalk } from './age-walk.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';
import { newSumBatches, sumWriterSweep } from './sum-batches.ts';

export function sqliteSessions(db: Database): SessionStore {
  const insert = inserter(db, 'session', SESSION_COLUMNS);
  const dropOldest = db.prepare(
    `DELETE FROM session WHERE hash IN (
       SELECT hash FROM session WHERE operator_id IS ?1
        ORDER BY opened_at DESC, hash LIMIT -1 OFFSET ?2)`,
  );
  const select = db.prepare('SELECT * FROM session WHERE hash = ?');
  const selectByPrefix = db.prepare('SELECT * FROM session WHERE hash >= ? AND hash < ? LIMIT 1');
  const selectAll = db.prepare(
    'SELECT * FROM session WHERE expires_at > ? ORDER BY opened_at DESC, hash LIMIT ?',
  );
  const selectOf = db.prepare(
    'SELECT * FROM session WHERE expires_at > ? AND operator_id = ? ORDER BY opened_at DESC, hash LIMIT ?',
  );
  const use = db.prepare('UPDATE session SET used_at = ? WHERE hash = ?');
  const remove = db.prepare('DELETE FROM session WHERE hash = ?');
  const sweep = db.prepare('DELETE FROM session WHERE expires_at < ?');
  return {
    async add(session, most) {
      await db.write(() => {
        insert(session);
        dropOldest.run(session.operatorId ?? null, most);
      });
    },
    async find(hash) {
      const row = select.get(hash) as Row | undefined;
      return row && sessionOf(row);
    },
    async findByPrefix(prefix) {
      const row = selectByPrefix.get(prefix, `${prefix}${LAST_SUFFIX}`) as Row | undefined;
      return row && sessionOf(row);
    },
    async list({ now, limit, operatorId }) {
      const rows =
        operatorId === undefined ? selectAll.all(now, limit) : selectOf.all(now, operatorId, limit);
      return (rows as Row[]).map(sessionOf);
    },
    async used(hash, at) {
      await db.write(() => use.run(at, hash));
    },
    async remove(hash) {
      return db.write(() => remove.run(hash).changes > 0);
    },
    async sweep(before) {
      await db.write(() => sweep.run(before));
    },
  };
}

/** Of one transaction. */
const SWEPT_ENTRIES = 500;

export function sqliteAudit(db: Database, records: Records): AuditStore {
  const insert = db.prepare(
    `INSERT INTO audit (at, who, name, operator_id, action, target, details) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = db.prepare('SELECT * FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?');
  const sweep = ageWalk(db, { table: 'audit', id: 'id', at: 'at' });
  return {
    async add({ at, who, name, operatorId, action, target, details }) {
      const values = [at, who, name ?? null, operatorId ?? null, action, target, JSON.stringify(details)];
      await db.write(() => insert.run(...values));
    },
    async list(limit, before = Number.MAX_SAFE_INTEGER) {
      return (select.all(before, limit) as Row[]).map(row => auditEntryOf(row, records));
    },
    sweep: before => db.write(() => sweep(before, SWEPT_ENTRIES)),
  };
}

export function sqliteStatistics(db: Database): StatisticStore {
  const add = db.prepare(
    `INSERT INTO statistic (at, name, value) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = value + excluded.value`,
  );
  const select = db.prepare('SELECT * FROM statistic WHERE at >= ? AND at < ? ORDER BY at, name');
  const sweep = db.prepare('DELETE FROM statistic WHERE at < ?');
  const isNewBatch = newSumBatches(db);
  const sweepWriters = sumWriterSweep(db);
  return {
    async add(batch) {
      await db.write(() => {
        if (!isNewBatch(batch)) return;
        for (const { at, name, value } of batch.sums) add.run(at, name, value);
      });
    },
    async between(from, until) {
      const rows = select.all(from, until) as Row[];
      return rows.map(({ at, name, value }) => ({
        at: Number(at),
        name: String(name),
        value: Number(value),
      }));
    },
    async sweep(before) {
      await db.write(() => {
        sweep.run(before);
        sweepWriters(before);
      });
    },
  };
}
