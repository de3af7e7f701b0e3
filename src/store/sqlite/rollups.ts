import type { Flow } from '../../domain/delivery/flow.ts';
import { timeOfPrefix, timePrefix } from '../../domain/ids.ts';
import { TRAFFIC_DIMENSIONS } from '../../domain/reports/dimensions.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { RollupOrder, RollupQuery, RollupStore } from '../port/rollup-store.ts';
import { columnNames, readerOf, writerOf } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import {
  CARRIER_COLUMNS,
  COUNT_COLUMNS,
  HOURS_OF,
  LATENCY_COLUMNS,
  latenciesIn,
  ROLLUP_KEY_COLUMNS,
  rollupRowsOf,
  SUMMED_COLUMNS,
  type SummedRow,
  storedRange,
} from '../records/rollup-columns.ts';
import { COUNTED_AHEAD, FOLLOWERS, LATE_AT_ONCE, lateAtOnce } from '../reservations.ts';
import {
  accountDays,
  anyLatency,
  type CountedMessage,
  carrierSumsOf,
  carriersIn,
  countedAt,
  countedFlow,
  countedMessage,
  isBeyond,
  LATE_STEPS,
  nextLook,
  requestOf,
  SenderNames,
  scopeOf,
  sumsOf,
  withinFlowBytes,
} from '../rollups.ts';
import { NOTE_BATCH } from '../sum-batches.ts';
import type { Database, Row } from './database.ts';
import type { Statement } from './statement.ts';
import { prepareRewritten } from './tables.ts';

const SWEPT_AT_ONCE = 2000;
const MOST_PREPARED = 200;
const MESSAGE = `message.msg_key, message.account, message.history, message.state, request.accepted_at,
  octet_length(request.flow) AS bytes`;
const WITH_REQUEST = 'LEFT JOIN request ON request.request_id = substr(message.msg_key, 1, 29)';
const WAS_COUNTED = `EXISTS (
  SELECT 1 FROM late_request WHERE follower = '${COUNTED_AHEAD}' AND request_id = substr(message.msg_key, 1, 29))`;

const ROLLUP_NAMES = [columnNames(ROLLUP_KEY_COLUMNS), ...SUMMED_COLUMNS].join(', ').split(', ');

const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
const carrierRowOf = readerOf(CARRIER_COLUMNS);

export function sqliteRollups(db: Database, records: Records): RollupStore {
  const position = db.prepare('SELECT msg_key FROM rollup_position');
  const moveTo = db.prepare('UPDATE rollup_position SET msg_key = ?');
  const selectNew = db.prepare(
    `SELECT ${MESSAGE}, ${WAS_COUNTED} AS was_counted FROM message ${WITH_REQUEST}
      WHERE msg_key > ? AND msg_key < ? ORDER BY msg_key LIMIT ?`,
  );
  const selectOpen = db.prepare(
    `SELECT ${MESSAGE}, open.msg_key AS open_key
       FROM (SELECT msg_key FROM rollup_open WHERE look_at <= ? ORDER BY look_at LIMIT ?) AS open
       LEFT JOIN message ON message.msg_key = open.msg_key ${WITH_REQUEST}`,
  );
  const selectLate = db.prepare(
    `SELECT request_id, (
       SELECT max(msg_key) FROM message WHERE msg_key >= request_id AND msg_key < request_id || 'zzzz') AS last_key FROM late_request
      WHERE follower = '${FOLLOWERS.rollups}' AND stored_at < ?1 AND (request_id <= ?2 OR request_id >= ?3)
      LIMIT ${LATE_AT_ONCE}`,
  );
  const hasLate = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM late_request WHERE follower = '${FOLLOWERS.rollups}') AS found`,
  );
  const selectOfRequest = db.prepare(
    `SELECT ${MESSAGE} FROM message ${WITH_REQUEST}
      WHERE msg_key >= ?1 AND msg_key < ?1 || 'zzzz' ORDER BY msg_key`,
  );
  const met = db.prepare(
    `DELETE FROM late_request WHERE follower = '${FOLLOWERS.rollups}' AND request_id = ?`,
  );
  const noteCounted = db.prepare(
    `UPDATE late_request SET follower = '${COUNTED_AHEAD}' WHERE follower = '${FOLLOWERS.rollups}' AND request_id = ?`,
  );
  const forgetPassed = db.prepare(
    `DELETE FROM late_request WHERE follower = '${COUNTED_AHEAD}' AND request_id < ?`,
  );
  const noteAgain = db.prepare(
    `UPDATE late_request SET follower = '${FOLLOWERS.rollups}' WHERE follower = '${COUNTED_AHEAD}' AND stored_at >= ?`,
  );
  const leave = db.prepare('INSERT OR REPLACE INTO rollup_open (msg_key, look_at) VALUES (?, ?)');
  const close = db.prepare('DELETE FROM rollup_open WHERE msg_key = ?');
  const selectFlow = db.prepare('SELECT request_id, account, flow FROM request WHERE request_id = ?');
  const selectRecords = db.prepare(
    `SELECT step, reported_at, sent_at, report_code, res_cnt, is_last FROM report
      WHERE msg_key = ? AND step < ${LATE_STEPS} ORDER BY step`,
  );
  const selectSenders = db.prepare(
    `SELECT DISTINCT sender FROM rollup WHERE hours = ${HOURS_OF.day} AND at = ? AND account = ?`,
  );
  const add = db.prepare(
    `INSERT INTO rollup (${ROLLUP_NAMES.join(', ')}) VALUES (${places(ROLLUP_NAMES.length)})
     ON CONFLICT DO UPDATE SET ${SUMMED_COLUMNS.map(name => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  const keyOf = writerOf(ROLLUP_KEY_COLUMNS);
  // One step in the index for each.
  const selectStarts = db.prepare(
    `WITH RECURSIVE start (at) AS (
       SELECT min(at) FROM rollup WHERE hours = ?1 AND at >= ?2 AND at < ?3
        UNION ALL
       SELECT (SELECT min(at) FROM rollup WHERE hours = ?1 AND at > start.at AND at < ?3) FROM start WHERE at IS NOT NULL)
     SELECT at FROM start WHERE at IS NOT NULL`,
  );
  const forgetSums = db.prepare('DELETE FROM rollup WHERE hours = ? AND at >= ?');
  const forgetOpen = db.prepare(
    `DELETE FROM rollup_open WHERE msg_key >= ? AND substr(msg_key, 1, 29) NOT IN (
       SELECT request_id FROM late_request WHERE follower = '${COUNTED_AHEAD}')`,
  );
  const sweepSums = db.prepare(
    `DELETE FROM rollup WHERE (hours, at, account, sender, channel, carrier, code) IN (
       SELECT hours, at, account, sender, channel, carrier, code FROM rollup
        WHERE hours = ? AND at < ? ORDER BY at LIMIT ?)`,
  );
  const addCarrier = db.prepare(
    `INSERT INTO carrier_rollup (${columnNames(CARRIER_COLUMNS)}) VALUES (${places(Object.keys(CARRIER_COLUMNS).length)})
     ON CONFLICT DO UPDATE SET submitted = submitted + excluded.submitted, refused = refused + excluded.refused,
       throttled = throttled + excluded.throttled`,
  );
  const carrierValuesOf = writerOf(CARRIER_COLUMNS);
  const selectCarriers = db.prepare(
    'SELECT * FROM carrier_rollup WHERE hours = ? AND at >= ? AND at < ? ORDER BY at, carrier',
  );
  const sweepCarriers = db.prepare('DELETE FROM carrier_rollup WHERE hours = ? AND at < ?');
  const noteBatch = prepareRewritten(db, NOTE_BATCH);
  const statements = new Map<string, Statement>();
  const senders = new SenderNames();
  db.onRollback(() => senders.forget());

  /** There are as many texts as combinations of filters and of latencies met, which is few. */
  function prepared(sql: string): Statement {
    if (statements.size >= MOST_PREPARED) statements.clear();
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  /** Where the stretches that are asked for begin: an account's rows are found by it. */
  function startsOf({ grain, from, until }: RollupQuery): readonly number[] {
    const range = storedRange(grain, from, until);
    return selectStarts.all(range.hours, range.from, range.until).map(row => Number((row as Row).at));
  }

  /** Sums of each combination that is asked for, maybe in several rows. */
  function selectSums(
    query: RollupQuery,
    starts: readonly number[],
    sums: readonly string[],
  ): readonly SummedRow[] {
    const { sql, values } = statementOf(query, starts, sums);
    return prepared(sql)
      .arrays(...values)
      .map(row => {
        return { key: row.slice(0, query.by.length), sums: row.slice(query.by.length) as number[] };
      });
  }

  const reached = (): string => String((position.get() as Row).msg_key);

  function counted(rows: readonly Row[], isNew: boolean): CountedMessage[] {
    const flows = new Map<string, Flow>();
    return rows.map(row => {
      const msgKey = String(row.msg_key);
      const request = requestOf(msgKey);
      const flow = flows.get(request) ?? flowOf(request);
      flows.set(request, flow);
      const isOver = row.state !== null;
      return countedMessage(row, records, {
        flow,
        isNew,
        records: isOver ? (selectRecords.all(msgKey) as Row[]) : [],
      });
    });
  }

  function flowOf(request: string): Flow {
    const row = selectFlow.get(request) as Row | undefined;
    return row ? countedFlow(row, records) : [];
  }

  /** Must be called inside a transaction. */
  function countChunk({ now, acceptedBefore, limit, calendar }: RollupOrder): boolean {
    const position = reached();
    const before = timePrefix(acceptedBefore);
    const found = selectNew.all(position, before, limit) as Row[];
    const waiting = selectOpen.all(now, limit) as Row[];
    const walked = withinFlowBytes(found);
    const isAnyLate = (hasLate.get() as Row).found === 1;
    const { late, isMore } = lateAtOnce(
      isAnyLate ? (selectLate.all(acceptedBefore, position, before) as Row[]) : [],
    );
    const passed = late.flatMap(requestId => selectOfRequest.all(requestId) as Row[]);
    const fresh = [...passed, ...walked.filter(({ was_counted }) => was_counted === 0)];
    const known = waiting.filter(({ msg_key }) => msg_key !== null);
    const over = known.filter(({ state }) => state !== null);
    const ended = withinFlowBytes(over);
    const messages = [...counted(fresh, true), ...counted(ended, false)];
    for (const { day, account } of accountDays(messages, calendar)) {
      if (senders.isKnown(day, account)) continue;
      senders.remember(
        day,
        account,
        (selectSenders.all(day, account) as Row[]).map(({ sender }) => String(sender)),
      );
    }
    for (const row of sumsOf(messages, senders, calendar)) add.run(...keyOf(row), ...row.sums);
    for (const row of [...fresh, ...known]) {
      if (row.state === null) leave.run(row.msg_key ?? '', nextLook(countedAt(row), now));
    }
    for (const { msg_key } of ended) close.run(msg_key ?? '');
    // Their messages were deleted since.
    for (const { msg_key, open_key } of waiting) if (msg_key === null) close.run(open_key ?? '');
    for (const requestId of late) (requestId < before ? met : noteCounted).run(requestId);
    if (isAnyLate)
      for (const id of new Set(walked.map(({ msg_key }) => requestOf(String(msg_key))))) met.run(id);
    const last = walked.at(-1);
    if (last) {
      moveTo.run(last.msg_key ?? '');
      forgetPassed.run(requestOf(String(last.msg_key)));
    }
    const isCut = walked.length < found.length || ended.length < over.length;
    return isCut || isMore || [found, waiting].some(({ length }) => length === limit);
  }

  return {
    count: order => db.write(() => countChunk(order), order.limit),
    async countedUntil() {
      const key = reached();
      return key === '' ? undefined : timeOfPrefix(key);
    },
    recount: (now, calendar) =>
      db.write(() => {
        if (!isBeyond(reached(), now)) return;
        const date = calendar.dateOf(now);
        const start = calendar.startOf(date);
        forgetSums.run(HOURS_OF.hour, start);
        forgetSums.run(HOURS_OF.day, storedRange('day', date, date).from);
        noteAgain.run(start);
        forgetOpen.run(timePrefix(start));
        moveTo.run(timePrefix(start));
        senders.forget();
      }),
    async read(query) {
      // Several may be asked at once: each in a turn of its own.
      await nextTurn();
      const starts = startsOf(query);
      if (starts.length === 0) return [];
      const latencies = latenciesIn(selectSums(anyLatency(query), starts, LATENCY_COLUMNS));
      return rollupRowsOf(selectSums(query, starts, [...COUNT_COLUMNS, ...latencies]), latencies, query);
    },
    async addCarriers({ writer, number, writtenAt, sums }, calendar) {
      const rows = carrierSumsOf(sums, calendar);
      await db.write(() => {
        if (noteBatch({ writer, number, writtenAt }).count === 0) return;
        for (const row of rows) addCarrier.run(...carrierValuesOf(row));
      });
    },
    async readCarriers(grain, from, until) {
      const range = storedRange(grain, from, until);
      const rows = selectCarriers.all(range.hours, range.from, range.until) as Row[];
      return carriersIn(grain, rows.map(carrierRowOf));
    },
    sweep: before =>
      db.write(() => {
        let isMore = false;
        for (const grain of ['hour', 'day'] as const) {
          const { changes } = sweepSums.run(HOURS_OF[grain], before[grain], SWEPT_AT_ONCE);
          isMore ||= Number(changes) === SWEPT_AT_ONCE;
        }
        for (const grain of ['minute', 'hour', 'day'] as const) {
          sweepCarriers.run(HOURS_OF[grain], before[grain]);
        }
        return isMore;
      }),
  };
}

/**
 * The columns of the key up to the last that is asked for, if that leaves few rows. Sums by these, of one stretch, need no
 * sorting, and sorting takes longer than adding.
 */
function keyUpTo(by: RollupQuery['by']): RollupQuery['by'] | undefined {
  const key: RollupQuery['by'] = TRAFFIC_DIMENSIONS;
  const last = Math.max(...by.map(name => key.indexOf(name)), -1);
  return last < 0 || last >= key.indexOf('carrier') ? undefined : ['at', ...key.slice(0, last + 1)];
}

/**
 * Names of columns are ours; values are given apart. Where a part of the key leaves few rows, sums by it are made first, of each
 * stretch by itself, and then those that are asked for.
 */
function statementOf(
  query: RollupQuery,
  starts: readonly number[],
  sums: readonly string[],
): { readonly sql: string; readonly values: (string | number)[] } {
  const { by } = query;
  const key = scopeOf(query) === 'all' ? undefined : keyUpTo(by);
  if (!key) {
    const { sql, values } = rowsOf(query, 'at IN (SELECT value FROM json_each(?))', JSON.stringify(starts));
    return { sql: summed(by, sums, sql), values };
  }
  const stretches = starts.map(start => rowsOf(query, 'at = ?', start));
  const sql = stretches.map(stretch => summed(key, sums, stretch.sql)).join(' UNION ALL ');
  const values = stretches.flatMap(stretch => stretch.values);
  return { sql: key.join() === by.join() ? sql : summed(by, sums, `(${sql})`), values };
}

/** The rows of some stretches that a question is about. */
function rowsOf(
  query: RollupQuery,
  isAt: string,
  at: string | number,
): { readonly sql: string; readonly values: (string | number)[] } {
  const { grain, where } = query;
  const scope = scopeOf(query);
  const conditions = ['hours = ?', isAt];
  const values: (string | number)[] = [HOURS_OF[grain], at];
  if (scope !== 'one') conditions.push(scope === 'each' ? "account > ''" : "account = ''");
  for (const name of TRAFFIC_DIMENSIONS) {
    const value = where[name];
    if (value === undefined) continue;
    conditions.push(`${name} = ?`);
    values.push(value);
  }
  return { sql: `rollup WHERE ${conditions.join(' AND ')}`, values };
}

function summed(by: readonly string[], sums: readonly string[], from: string): string {
  const columns = [...by, ...sums.map(name => `sum(${name}) AS ${name}`)];
  return `SELECT ${columns.join(', ')} FROM ${from}
    ${by.length > 0 ? `GROUP BY ${by.join(', ')}` : 'HAVING count(*) > 0'}`;
}
