import type { Flow } from '../../domain/delivery/flow.ts';
import { timeOfPrefix, timePrefix } from '../../domain/ids.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import {
  ROLLUP_DIMENSIONS,
  type RollupOrder,
  type RollupQuery,
  type RollupStore,
} from '../port/rollup-store.ts';
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
} from '../records/rollup-columns.ts';
import { FOLLOWERS, LATE_AT_ONCE } from '../reservations.ts';
import {
  accountDays,
  anyLatency,
  type CountedMessage,
  carrierSumsOf,
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
import type { Database, Row } from './database.ts';
import type { Statement } from './statement.ts';
import { newSumBatches } from './sum-batches.ts';

const SWEPT_AT_ONCE = 2000;
/** A statement has a term for each, and SQLite takes 500. */
const MOST_STRETCHES = 400;
const MOST_PREPARED = 200;
const MESSAGE = `message.msg_key, message.account, message.history, message.state,
  (SELECT octet_length(flow) FROM request WHERE request_id = substr(message.msg_key, 1, 29)) AS bytes`;

const ROLLUP_NAMES = [columnNames(ROLLUP_KEY_COLUMNS), ...SUMMED_COLUMNS].join(', ').split(', ');

const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
const carrierRowOf = readerOf(CARRIER_COLUMNS);

export function sqliteRollups(db: Database, records: Records): RollupStore {
  const position = db.prepare('SELECT msg_key FROM rollup_position');
  const moveTo = db.prepare('UPDATE rollup_position SET msg_key = ?');
  const selectNew = db.prepare(
    `SELECT ${MESSAGE} FROM message WHERE msg_key > ? AND msg_key < ? ORDER BY msg_key LIMIT ?`,
  );
  const selectOpen = db.prepare(
    `SELECT ${MESSAGE}, open.msg_key AS open_key
       FROM (SELECT msg_key FROM rollup_open WHERE look_at <= ? ORDER BY look_at LIMIT ?) AS open
       LEFT JOIN message ON message.msg_key = open.msg_key`,
  );
  const selectLate = db.prepare(
    `SELECT request_id FROM late_request
      WHERE follower = '${FOLLOWERS.rollups}' AND stored_at < ? AND request_id <= ? LIMIT ${LATE_AT_ONCE}`,
  );
  const hasLate = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM late_request WHERE follower = '${FOLLOWERS.rollups}') AS found`,
  );
  const selectOfRequest = db.prepare(
    `SELECT ${MESSAGE} FROM message WHERE msg_key >= ?1 AND msg_key < ?1 || 'zzzz' ORDER BY msg_key`,
  );
  const met = db.prepare(
    `DELETE FROM late_request WHERE follower = '${FOLLOWERS.rollups}' AND request_id = ?`,
  );
  const leave = db.prepare('INSERT OR REPLACE INTO rollup_open (msg_key, look_at) VALUES (?, ?)');
  const close = db.prepare('DELETE FROM rollup_open WHERE msg_key = ?');
  const selectFlow = db.prepare('SELECT flow FROM request WHERE request_id = ?');
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
  const forgetSums = db.prepare('DELETE FROM rollup WHERE hours = ? AND at >= ?');
  const forgetOpen = db.prepare('DELETE FROM rollup_open WHERE msg_key >= ?');
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
  const isNewBatch = newSumBatches(db);
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

  /** Sums of each combination that is asked for, maybe in several rows. */
  function selectSums(query: RollupQuery, sums: readonly string[]): readonly SummedRow[] {
    const found: SummedRow[] = [];
    for (let first = 0; first < query.at.length; first += MOST_STRETCHES) {
      const { sql, values } = statementOf(
        { ...query, at: query.at.slice(first, first + MOST_STRETCHES) },
        sums,
      );
      for (const row of prepared(sql).arrays(...values)) {
        found.push({ key: row.slice(0, query.by.length), sums: row.slice(query.by.length) as number[] });
      }
    }
    return found;
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
    return row ? countedFlow({ ...row, request_id: request }, records) : [];
  }

  /** Must be called inside a transaction. */
  function countChunk({ now, acceptedBefore, limit, dayOf }: RollupOrder): boolean {
    const position = reached();
    const found = selectNew.all(position, timePrefix(acceptedBefore), limit) as Row[];
    const waiting = selectOpen.all(now, limit) as Row[];
    const walked = withinFlowBytes(found);
    const isAnyLate = (hasLate.get() as Row).found === 1;
    const late = isAnyLate ? (selectLate.all(acceptedBefore, position) as Row[]) : [];
    const passed = late.flatMap(({ request_id }) => selectOfRequest.all(request_id ?? '') as Row[]);
    const fresh = [...passed, ...walked];
    const known = waiting.filter(({ msg_key }) => msg_key !== null);
    const over = known.filter(({ state }) => state !== null);
    const ended = withinFlowBytes(over);
    const messages = [...counted(fresh, true), ...counted(ended, false)];
    for (const { day, account } of accountDays(messages, dayOf)) {
      if (senders.isKnown(day, account)) continue;
      senders.remember(
        day,
        account,
        (selectSenders.all(day, account) as Row[]).map(({ sender }) => String(sender)),
      );
    }
    for (const row of sumsOf(messages, senders, dayOf)) add.run(...keyOf(row), ...row.sums);
    for (const { msg_key, state } of [...fresh, ...known]) {
      if (state === null) leave.run(msg_key ?? '', nextLook(String(msg_key), now));
    }
    for (const { msg_key } of ended) close.run(msg_key ?? '');
    // Their messages were deleted since.
    for (const { msg_key, open_key } of waiting) if (msg_key === null) close.run(open_key ?? '');
    for (const { request_id } of late) met.run(request_id ?? '');
    if (isAnyLate)
      for (const id of new Set(walked.map(({ msg_key }) => requestOf(String(msg_key))))) met.run(id);
    const last = walked.at(-1);
    if (last) moveTo.run(last.msg_key ?? '');
    const isCut = walked.length < found.length || ended.length < over.length;
    return isCut || late.length === LATE_AT_ONCE || [found, waiting].some(({ length }) => length === limit);
  }

  return {
    count: order => db.write(() => countChunk(order), order.limit),
    async countedUntil() {
      const key = reached();
      return key === '' ? undefined : timeOfPrefix(key);
    },
    recount: (now, dayOf) =>
      db.write(() => {
        if (!isBeyond(reached(), now)) return;
        const day = dayOf(now);
        for (const hours of [HOURS_OF.hour, HOURS_OF.day]) forgetSums.run(hours, day);
        forgetOpen.run(timePrefix(day));
        moveTo.run(timePrefix(day));
        senders.forget();
      }),
    async read(query) {
      // Several may be asked at once: each in a turn of its own.
      await nextTurn();
      const latencies = latenciesIn(selectSums(anyLatency(query), LATENCY_COLUMNS));
      return rollupRowsOf(selectSums(query, [...COUNT_COLUMNS, ...latencies]), latencies, query.by);
    },
    async addCarriers(minutes, dayOf) {
      const rows = carrierSumsOf(minutes.sums, dayOf);
      await db.write(() => {
        if (!isNewBatch(minutes)) return;
        for (const row of rows) addCarrier.run(...carrierValuesOf(row));
      });
    },
    async readCarriers(grain, from, until) {
      const rows = selectCarriers.all(HOURS_OF[grain], from, until) as Row[];
      return rows.map(row => withoutHours(carrierRowOf(row)));
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

function withoutHours<T extends { readonly hours: number }>({ hours, ...sums }: T): Omit<T, 'hours'> {
  return sums;
}

/**
 * The columns of the key up to the last that is asked for, if that leaves few rows. Sums by these, of one stretch, need no
 * sorting, and sorting takes longer than adding.
 */
function keyUpTo(by: RollupQuery['by']): RollupQuery['by'] | undefined {
  const key: RollupQuery['by'] = ROLLUP_DIMENSIONS;
  const last = Math.max(...by.map(name => key.indexOf(name)), -1);
  return last < 0 || last >= key.indexOf('carrier') ? undefined : ['at', ...key.slice(0, last + 1)];
}

/**
 * Names of columns are ours; values are given apart. Where a part of the key leaves few rows, sums by it are made first, of each
 * stretch by itself, and then those that are asked for.
 */
function statementOf(
  query: RollupQuery,
  sums: readonly string[],
): { readonly sql: string; readonly values: (string | number)[] } {
  const { at, by } = query;
  const key = scopeOf(query) === 'all' ? undefined : keyUpTo(by);
  if (!key) {
    const { sql, values } = rowsOf(query, 'at IN (SELECT value FROM json_each(?))', JSON.stringify(at));
    return { sql: summed(by, sums, sql), values };
  }
  const stretches = at.map(start => rowsOf(query, 'at = ?', start));
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
  for (const name of ROLLUP_DIMENSIONS) {
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
