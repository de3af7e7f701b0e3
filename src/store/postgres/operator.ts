/** What the operator's side keeps, for all nodes: sessions, the audit log, statistics. */

import type { AuditStore, SessionStore, Statistic, StatisticStore } from '../port/operator-store.ts';
import { bigint, type ColumnsOf, columnNames, readerOf, text } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { LAST_SUFFIX, SESSION_COLUMNS, sessionOf } from '../records/session-columns.ts';
import { auditEntryOf } from '../rows.ts';
import { ageWalk } from './age-walk.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';
import { batchParameters, IS_NEW_BATCH, NOTE_BATCH, SWEEP_SUM_WRITERS } from './sum-batches.ts';
import { arraysOf, unnest } from './unnest.ts';

const INSERT_SESSION = `
  INSERT INTO session (${columnNames(SESSION_COLUMNS)}) SELECT * FROM ${unnest('added', SESSION_COLUMNS)}`;
const DROP_OLDEST_SESSIONS = `
  DELETE FROM session WHERE hash IN (
    SELECT hash FROM session WHERE operator_id IS NOT DISTINCT FROM :operatorId
     ORDER BY opened_at DESC NULLS LAST, hash OFFSET :most)`;
const LIST_SESSIONS = `
  SELECT * FROM session WHERE expires_at > :now AND (:operatorId::text IS NULL OR operator_id = :operatorId)
   ORDER BY opened_at DESC NULLS LAST, hash LIMIT :limit`;

const rowOf = (hash: string): string => `session ${hash}`;

export function postgresSessions(db: Database): SessionStore {
  return {
    async add(session, most) {
      const { operatorId = null } = session;
      await lockingBriefly(db, db, `sessions of ${operatorId}`, async tx => {
        await tx.query(INSERT_SESSION, arraysOf('added', SESSION_COLUMNS, [session]));
        await tx.query(DROP_OLDEST_SESSIONS, { operatorId, most });
      });
    },
    async find(hash) {
      const [row] = await db.query('SELECT * FROM session WHERE hash = $1', [hash]);
      return row && sessionOf(row);
    },
    async findByPrefix(prefix) {
      const statement = 'SELECT * FROM session WHERE hash >= $1 AND hash < $2 LIMIT 1';
      const [row] = await db.query(statement, [prefix, `${prefix}${LAST_SUFFIX}`]);
      return row && sessionOf(row);
    },
    async list({ now, limit, operatorId = null }) {
      return (await db.query(LIST_SESSIONS, { now, limit, operatorId })).map(sessionOf);
    },
    async used(hash, at) {
      await lockingBriefly(db, db, rowOf(hash), tx =>
        tx.query('UPDATE session SET used_at = :at WHERE hash = :hash', { hash, at }),
      );
    },
    async remove(hash) {
      const { count } = await lockingBriefly(db, db, rowOf(hash), tx =>
        tx.query('DELETE FROM session WHERE hash = $1', [hash]),
      );
      return count === 1;
    },
    async sweep(before) {
      await db.query('DELETE FROM session WHERE expires_at < $1', [before]);
    },
  };
}

/** Of one statement. */
const SWEPT_ENTRIES = 1000;

export function postgresAudit(db: Database, records: Records): AuditStore {
  const sweep = ageWalk(db, { table: 'audit', id: 'id', at: 'at' });
  return {
    async add({ at, who, name = null, operatorId = null, action, target, details }) {
      await db.query(
        `INSERT INTO audit (at, who, name, operator_id, action, target, details)
         VALUES (:at, :who, :name, :operatorId, :action, :target, :details)`,
        { at, who, name, operatorId, action, target, details: JSON.stringify(details) },
      );
    },
    async list(limit, before = Number.MAX_SAFE_INTEGER) {
      const statement = 'SELECT * FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2';
      return (await db.query(statement, [before, limit])).map(row => auditEntryOf(row, records));
    },
    sweep: before => sweep(before, SWEPT_ENTRIES),
  };
}

const STATISTIC_COLUMNS: ColumnsOf<Statistic> = {
  at: bigint('at'),
  name: text('name'),
  value: bigint('value'),
};
const statisticOf = readerOf(STATISTIC_COLUMNS);

const ADD_STATISTICS = `${NOTE_BATCH}
  INSERT INTO statistic (at, name, value) SELECT * FROM ${unnest('added', STATISTIC_COLUMNS)} WHERE ${IS_NEW_BATCH}
  ON CONFLICT (at, name) DO UPDATE SET value = statistic.value + excluded.value`;

export function postgresStatistics(db: Database): StatisticStore {
  return {
    async add(batch) {
      // In one order on every node, so that none waits for another that waits for it.
      const sorted = batch.sums.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
      const added = arraysOf('added', STATISTIC_COLUMNS, sorted);
      await db.query(ADD_STATISTICS, { ...batchParameters(batch), ...added });
    },
    async between(from, until) {
      const statement = 'SELECT * FROM statistic WHERE at >= $1 AND at < $2 ORDER BY at, name';
      const rows = await db.query(statement, [from, until]);
      return rows.map(statisticOf);
    },
    async sweep(before) {
      await db.query('DELETE FROM statistic WHERE at < $1', [before]);
      await db.query(SWEEP_SUM_WRITERS, { before });
    },
  };
}
