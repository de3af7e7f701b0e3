import type { ReportId } from '../../domain/ids.ts';
import { Pieces, TurnShare } from '../../platform/pieces.ts';
import type { ReportStore } from '../port/report-store.ts';
import { handedOverOf, reportOf } from '../records/report-columns.ts';
import type { Database, Row } from './database.ts';

/** Records of all accounts: a batch of a thousand takes some 8 ms to read, and all accounts may ask for theirs at once. */
const READ_A_TURN = 250;
const DROPPED_AT_ONCE = 5000;

export function sqliteReports(db: Database): ReportStore {
  const openBatch = db.prepare('SELECT report_id FROM report_batch WHERE account = ?');
  const createBatch = db.prepare(
    'INSERT INTO report_batch (account, report_id, created_at) VALUES (?, ?, ?)',
  );
  const closeBatch = db.prepare('DELETE FROM report_batch WHERE account = ? AND report_id = ?');
  const oldest = `
    SELECT seq FROM report_queue WHERE account = ?1 AND batch IS NULL AND reported_at >= ?2 ORDER BY seq LIMIT ?3`;
  const handOut = db.prepare(`UPDATE report_queue SET batch = ?4 WHERE is_last >= ?5 AND seq IN (${oldest})`);
  // Every poll would read them again.
  const dropLeftOut = db.prepare(`DELETE FROM report_queue WHERE is_last = 0 AND seq IN (${oldest})`);
  const countWaiting = db.prepare(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM report_queue
        WHERE account = ? AND batch IS NULL AND reported_at >= ? LIMIT ?)`,
  );
  const countOfBatch = db.prepare(
    'SELECT count(*) AS count FROM report_queue WHERE account = ? AND batch = ?',
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

  const readNow = new TurnShare(READ_A_TURN);
  const reading = new Pieces(readNow.rest);

  return {
    async poll({ account, lastOnly, newId, limit, since, now }) {
      const leastLast = lastOnly ? 1 : 0;
      // Some of what is left out is dropped in each transaction, until there is a record to hand out.
      while (openBatch.get(account) === undefined) {
        const rows = countOf(countWaiting.get(account, since, limit));
        if (rows === 0) return undefined;
        await db.write(createIfAny, rows);
      }
      return reading.do(account, async () => {
        const open = openBatch.get(account) as Row | undefined;
        if (!open) return undefined;
        const reportId = open.report_id as ReportId;
        const records = (selectBatch.all(account, reportId) as Row[]).map(reportOf);
        readNow.count(records.length);
        return { reportId, records };
      });

      function createIfAny(): void {
        if (openBatch.get(account) !== undefined) return;
        const reportId = newId();
        const { changes } = handOut.run(account, since, limit, reportId, leastLast);
        if (lastOnly) dropLeftOut.run(account, since, DROPPED_AT_ONCE);
        if (changes > 0) createBatch.run(account, reportId, now);
      }
    },
    async handedOver(msgKey) {
      return (selectHanded.all(msgKey) as Row[]).map(handedOverOf);
    },
    async acknowledge(account, reportId, now) {
      return db.write(
        () => {
          if (closeBatch.run(account, reportId).changes === 0) return false;
          markFetched.run(now, account, reportId);
          dropBatch.run(account, reportId);
          return true;
        },
        countOf(countOfBatch.get(account, reportId)),
      );
    },
    async holds(account, reportId) {
      return (openBatch.get(account) as Row | undefined)?.report_id === reportId;
    },
    async inquire({ account, lastOnly, msgKey, since }) {
      return (selectByKey.all(msgKey, account, since, lastOnly ? 1 : 0) as Row[]).map(reportOf);
    },
  };
}

function countOf(row: unknown): number {
  return Number((row as Row).count);
}
