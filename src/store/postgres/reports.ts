import type { AccountId, ReportId } from '../../domain/ids.ts';
import type { ReportBatch, ReportStore } from '../port/report-store.ts';
import { readerOf } from '../records/columns.ts';
import { handedOverOf, REPORT_COLUMNS, reportOf } from '../records/report-columns.ts';
import { StoreFault } from '../store-fault.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Session } from './database.ts';
import { NumberedQueue, ofEach } from './long-look.ts';

/** The whole order of the index: by number alone a plan may walk through the records of every account. */
const OLDEST_FIRST = 'ORDER BY batch, seq';
const UNFETCHED = `
  FROM report_queue
 WHERE account = :account AND batch IS NULL AND reported_at >= :since AND seq >= :from::bigint`;
const FIRST_UNFETCHED = `SELECT seq ${UNFETCHED} ${OLDEST_FIRST} LIMIT 1`;

const HAND_OUT = `
  UPDATE report_queue SET batch = :newId
   WHERE batch IS NULL AND is_last >= :leastLast AND seq = ANY (ARRAY(SELECT seq ${UNFETCHED} ${OLDEST_FIRST} LIMIT :limit))
  RETURNING seq`;

/** Every poll would read them again. */
const DROP_LEFT_OUT = `
  DELETE FROM report_queue
   WHERE batch IS NULL AND is_last = 0 AND seq = ANY (ARRAY(SELECT seq ${UNFETCHED} ${OLDEST_FIRST} LIMIT 10000))`;

/**
 * In one statement, so that an acknowledgement is seen completely or not at all. A batch whose records are gone has one row without
 * a record, so that the client gets it, empty, and ends it.
 */
const OPEN_BATCH = `
  SELECT report_batch.report_id, report.*
    FROM report_batch
    LEFT JOIN report_queue ON report_queue.account = report_batch.account
                     AND report_queue.batch = report_batch.report_id
    LEFT JOIN LATERAL (
     SELECT * FROM report
      WHERE report.msg_key = report_queue.msg_key AND report.step = report_queue.step LIMIT 1
   ) AS report ON true
   WHERE report_batch.account = $1
   ORDER BY report_queue.seq`;

const ACKNOWLEDGE = `
  WITH closed AS (
    DELETE FROM report_batch WHERE account = $1 AND report_id = $2 RETURNING account, report_id
  ), fetched AS (
    DELETE FROM report_queue USING closed
     WHERE report_queue.account = closed.account AND report_queue.batch = closed.report_id
    RETURNING report_queue.msg_key, report_queue.step
  )
  SELECT msg_key, step FROM closed LEFT JOIN fetched ON true`;

const FETCHED_COLUMNS = { msgKey: REPORT_COLUMNS.msgKey, step: REPORT_COLUMNS.step };
const fetchedOf = readerOf(FETCHED_COLUMNS);

/** The range of the batch's keys limits the look-up to the daily partitions that can have them. */
const MARK_FETCHED = `
  UPDATE report SET fetched_at = :now
    FROM ${unnest('fetched', FETCHED_COLUMNS)}
   WHERE report.msg_key = fetched.msg_key AND report.step = fetched.step AND report.msg_key BETWEEN :first AND :last`;

const HANDED_OVER = `
  SELECT step, 'reportFetched' AS event, fetched_at AS at FROM report WHERE msg_key = $1 AND fetched_at IS NOT NULL
   UNION ALL
  SELECT step, 'reportPushed', finished_at FROM webhook_delivery WHERE msg_key = $1 AND state = 'delivered'
   ORDER BY at, step`;

export function postgresReports(db: Database): ReportStore {
  const queueOf = ofEach<AccountId, NumberedQueue>(() => new NumberedQueue(db.clock));

  return {
    async poll({ account, lastOnly, newId, limit, since, now }) {
      const theirs = db.as(account);
      const queue = queueOf(account);
      for (;;) {
        const held = await openBatch(theirs, account);
        if (held) return held;
        const [first] = await queue.ask(theirs, FIRST_UNFETCHED, { account, since });
        // Another poller may have taken the last records a moment ago: then they are in its batch, which is ours too.
        if (!first) return openBatch(theirs, account);
        const from = Number(first.seq);
        const last = await createBatch(db, {
          ...{ account, newId: newId(), since, from, lastOnly, limit, now },
        });
        queue.reached(last ?? from);
      }
    },
    async acknowledge(account, reportId, now) {
      let isFound = false;
      const acknowledged = lockingBriefly(db, db.as(account), batchOf(account), async tx => {
        const fetched = await tx.query(ACKNOWLEDGE, [account, reportId]);
        isFound = fetched.length > 0;
        const records = fetched.filter(row => row.msg_key !== null).map(fetchedOf);
        const keys = records.map(({ msgKey }) => msgKey).sort();
        const [first, last] = [keys.at(0), keys.at(-1)];
        if (first === undefined || last === undefined) return;
        const range = { first, last, now };
        await tx.query(MARK_FETCHED, { ...arraysOf('fetched', FETCHED_COLUMNS, records), ...range });
      });
      // Nothing was found, so nothing can have happened.
      await acknowledged.catch(error => {
        if (isFound || !(error instanceof StoreFault && error.outcome === 'mayHaveHappened')) throw error;
      });
      return isFound;
    },
    async holds(account, reportId) {
      await db.lostSessionsEnded();
      const statement = 'SELECT FROM report_batch WHERE account = $1 AND report_id = $2';
      const rows = await db.as(account).query(statement, [account, reportId]);
      return rows.length > 0;
    },
    async handedOver(msgKey) {
      return (await db.query(HANDED_OVER, [msgKey])).map(handedOverOf);
    },
    async inquire({ account, lastOnly, msgKey, since }) {
      const rows = await db.as(account).query(
        `SELECT * FROM report
          WHERE msg_key = :msgKey AND account = :account AND reported_at >= :since AND is_last >= :leastLast
          ORDER BY step`,
        { msgKey, account, since, leastLast: lastOnly ? 1 : 0 },
      );
      return rows.map(reportOf);
    },
  };
}

const batchOf = (account: AccountId): string => `report batch ${account}`;

async function openBatch(theirs: Session, account: AccountId): Promise<ReportBatch | undefined> {
  const rows = await theirs.query(OPEN_BATCH, [account]);
  const [first] = rows;
  const records = rows.filter(row => row.msg_key !== null).map(reportOf);
  return first && { reportId: first.report_id as ReportId, records };
}

/**
 * Opens a batch unless another poller does: the row in report_batch is the lock, and the second waits for the first.
 * Records are chosen after the lock is had, so none that the first took is taken again. Resolves to the number of the last.
 */
async function createBatch(
  db: Database,
  order: {
    readonly account: AccountId;
    readonly newId: ReportId;
    readonly since: number;
    readonly from: number;
    readonly lastOnly: boolean;
    readonly limit: number;
    readonly now: number;
  },
): Promise<number | undefined> {
  const { account, newId, since, from, lastOnly, limit, now } = order;
  return lockingBriefly(db, db.as(account), batchOf(account), async tx => {
    const { count } = await tx.query(
      'INSERT INTO report_batch (account, report_id, created_at) VALUES (:account, :newId, :now) ON CONFLICT DO NOTHING',
      { account, newId, now },
    );
    if (count === 0) return undefined;
    if (lastOnly) await tx.query(DROP_LEFT_OUT, { account, since, from });
    const leastLast = lastOnly ? 1 : 0;
    const handedOut = await tx.query(HAND_OUT, { account, since, from, leastLast, limit, newId });
    // What there was has been left out, or was fetched or swept in the meantime.
    if (handedOut.count === 0) await tx.query('DELETE FROM report_batch WHERE account = $1', [account]);
    const numbers = handedOut.map(({ seq }) => Number(seq));
    return numbers.length > 0 ? Math.max(...numbers) : undefined;
  });
}
