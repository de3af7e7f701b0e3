import type { ReportId } from '../../domain/ids.ts';
import type { ReportStore } from '../port/report-store.ts';
import { reportOf } from '../records/report-columns.ts';
import { handedOverOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

export function sqliteReports(db: Database): ReportStore {
  const openBatch = db.prepare('SELECT report_id FROM report_batch WHERE account = ?');
  const createBatch = db.prepare(
    'INSERT INTO report_batch (account, report_id, created_at) VALUES (?, ?, ?)',
  );
  const closeBatch = db.prepare('DELETE FROM report_batch WHERE account = ? AND report_id = ?');
  const handOut = db.prepare(
    `UPDATE report_queue SET batch = ?1 WHERE seq IN (
       SELECT seq FROM report_queue
        WHERE account = ?2 AND batch IS NULL AND reported_at >= ?3 AND is_last >= ?4
        ORDER BY seq LIMIT ?5)`,
  );
  const markFetched = db.prepare(
    `UPDATE report SET fetched_at = ? WHERE (msg_key, step) IN
       (SELECT msg_key, step FROM report_queue WHERE account = ? AND batch = ?)`,
  );
  const selectHanded = db.prepare(
    `SELECT step, 'reportFetched' AS event, fetched_at AS at FROM report WHERE msg_key = ?1 AND fetched_at IS NOT NULL
      UNION ALL
     SELECT step, 'reportPushed', finished_at FROM webhook_delivery WHERE msg_key = ?1 AND state = 'delivered'
      ORDER BY at, step`,
  );
  const dropBatch = db.prepare('DELETE FROM report_queue WHERE account = ? AND batch = ?');
  const selectBatch = db.prepare(
    `SELECT report.* FROM report_queue
       JOIN report USING (msg_key, step)
      WHERE report_queue.account = ? AND report_queue.batch = ? ORDER BY seq`,
  );
  const selectByKey = db.prepare(
    `SELECT * FROM report
      WHERE msg_key = ? AND account = ? AND reported_at >= ? AND is_last >= ? ORDER BY step`,
  );

  return {
    async poll({ account, lastOnly, newId, limit, since, now }) {
      const held = openBatch.get(account) as Row | undefined;
      const reportId = held ? String(held.report_id) : await db.write(createIfAny);
      if (reportId === undefined) return undefined;
      const rows = selectBatch.all(account, reportId) as Row[];
      return { reportId: reportId as ReportId, records: rows.map(reportOf) };

      function createIfAny(): string | undefined {
        const other = openBatch.get(account) as Row | undefined;
        if (other) return String(other.report_id);
        const reportId = newId();
        const { changes } = handOut.run(reportId, account, since, lastOnly ? 1 : 0, limit);
        if (changes === 0) return undefined;
        createBatch.run(account, reportId, now);
        return reportId;
      }
    },
    async handedOver(msgKey) {
      return (selectHanded.all(msgKey) as Row[]).map(handedOverOf);
    },
    async acknowledge(account, reportId, now) {
      return db.write(() => {
        if (closeBatch.run(account, reportId).changes === 0) return false;
        markFetched.run(now, account, reportId);
        dropBatch.run(account, reportId);
        return true;
      });
    },
    async holds(account, reportId) {
      return (openBatch.get(account) as Row | undefined)?.report_id === reportId;
    },
    async inquire({ account, lastOnly, msgKey, since }) {
      return (selectByKey.all(msgKey, account, since, lastOnly ? 1 : 0) as Row[]).map(reportOf);
    },
  };
}
