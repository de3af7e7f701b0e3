import type { Flow } from '../../domain/delivery/flow.ts';
import { timeOfPrefix, timePrefix } from '../../domain/ids.ts';
import { TRAFFIC_DIMENSIONS } from '../../domain/reports/dimensions.ts';
import type { Calendar } from '../../platform/zoned-time.ts';
import type { RollupOrder, RollupQuery, RollupStore } from '../port/rollup-store.ts';
import { bigint, columnNames, integer, readerOf, text } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import {
  CARRIER_COLUMNS,
  COUNT_COLUMNS,
  HOURS_OF,
  LATENCY_COLUMNS,
  latenciesIn,
  ROLLUP_KEY_COLUMNS,
  rollupRowsOf,
  type StoredSums,
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
import type { Parameter, Value } from '../tables/tables.ts';
import { unnest } from '../tables/tables.ts';
import { arraysOf } from './arrays.ts';
import type { Database, Queryable, Row } from './database.ts';
import { keyWalks } from './key-walks.ts';
import { DatedQueue } from './long-look.ts';
import { arrayText } from './statement.ts';
import { finish } from './tables.ts';

const SWEPT_AT_ONCE = 5000;

const MESSAGE =
  'message.msg_key, message.account, message.history, message.state, request.accepted_at, request.bytes';
// LIMIT keeps the planner to one look-up by key, which meets one partition.
const OF_REQUEST = `
  LEFT JOIN LATERAL (
    SELECT accepted_at, octet_length(flow) AS bytes FROM request WHERE request_id = substr(message.msg_key, 1, 29) LIMIT 1
  ) AS request ON true`;
const NEW = `
  SELECT ${MESSAGE}, EXISTS (
           SELECT FROM late_request
            WHERE follower = '${COUNTED_AHEAD}' AND request_id = substr(message.msg_key, 1, 29)) AS was_counted
    FROM (SELECT * FROM message WHERE msg_key > :after AND msg_key < :before ORDER BY msg_key LIMIT :limit) AS message
         ${OF_REQUEST}
   ORDER BY message.msg_key`;
const OPEN = `
  SELECT ${MESSAGE}, open.msg_key AS open_key, open.look_at
    FROM (SELECT msg_key, look_at FROM rollup_open WHERE look_at >= :from::bigint AND look_at <= :now
           ORDER BY look_at LIMIT :limit) AS open
    LEFT JOIN LATERAL (SELECT * FROM message WHERE message.msg_key = open.msg_key LIMIT 1) AS message ON true
    ${OF_REQUEST}`;
const LATE = `
  SELECT late.request_id, (
    SELECT msg_key FROM message WHERE msg_key >= late.request_id AND msg_key < late.request_id || 'zzzz'
     ORDER BY msg_key DESC LIMIT 1) AS last_key FROM (
    SELECT request_id FROM late_request
     WHERE follower = '${FOLLOWERS.rollups}' AND stored_at < :storedBefore
       AND (request_id <= :position OR request_id >= :ahead)
     LIMIT ${LATE_AT_ONCE}) AS late`;
const OF_REQUESTS = `
  SELECT ${MESSAGE} FROM unnest($1::text[]) AS asked (request_id)
   CROSS JOIN LATERAL (
     SELECT * FROM message WHERE msg_key >= asked.request_id AND msg_key < asked.request_id || 'zzzz' LIMIT 1000
   ) AS message
    ${OF_REQUEST}`;
const MET = `DELETE FROM late_request WHERE follower = '${FOLLOWERS.rollups}' AND request_id = ANY ($1::text[])`;
const NOTE_COUNTED = `
  UPDATE late_request SET follower = '${COUNTED_AHEAD}'
   WHERE follower = '${FOLLOWERS.rollups}' AND request_id = ANY ($1::text[])`;
const FORGET_PASSED = `DELETE FROM late_request WHERE follower = '${COUNTED_AHEAD}' AND request_id < $1`;
const NOTE_AGAIN = `
  UPDATE late_request SET follower = '${FOLLOWERS.rollups}' WHERE follower = '${COUNTED_AHEAD}' AND stored_at >= $1`;
const FORGET_OPEN = `
  DELETE FROM rollup_open WHERE msg_key >= $1 AND substr(msg_key, 1, 29) NOT IN (
    SELECT request_id FROM late_request WHERE follower = '${COUNTED_AHEAD}')`;
const FLOWS = `
  SELECT request.* FROM unnest($1::text[]) AS asked (request_id)
   CROSS JOIN LATERAL (
     SELECT request_id, account, flow FROM request WHERE request.request_id = asked.request_id LIMIT 1
   ) AS request`;
const RECORDS = `
  SELECT report.* FROM unnest($1::text[]) AS asked (msg_key)
   CROSS JOIN LATERAL (
     SELECT msg_key, step, reported_at, sent_at, report_code, res_cnt, is_last FROM report
      WHERE report.msg_key = asked.msg_key AND step < ${LATE_STEPS} ORDER BY step LIMIT 100
   ) AS report`;
const DAYS_OF_ACCOUNTS = { day: bigint('day'), account: text('account') };
const SENDERS = `
  SELECT DISTINCT asked.day, asked.account, sender FROM ${unnest('asked', DAYS_OF_ACCOUNTS)}
    JOIN rollup ON hours = ${HOURS_OF.day} AND rollup.at = asked.day AND rollup.account = asked.account`;
const ADDED_COLUMNS = {
  ...ROLLUP_KEY_COLUMNS,
  ...Object.fromEntries(SUMMED_COLUMNS.map(name => [name, integer(name)])),
};
const ADD = `
  INSERT INTO rollup (${columnNames(ADDED_COLUMNS)}) SELECT * FROM ${unnest('added', ADDED_COLUMNS)}
  ON CONFLICT (hours, at, account, sender, channel, carrier, code) DO UPDATE SET
    ${SUMMED_COLUMNS.map(name => `${name} = rollup.${name} + excluded.${name}`).join(', ')}`;
const LEFT_OVER = { msgKey: text('msg_key'), lookAt: bigint('look_at') };
const LEAVE = `
  INSERT INTO rollup_open (msg_key, look_at) SELECT * FROM ${unnest('left_over', LEFT_OVER)}
  ON CONFLICT (msg_key) DO UPDATE SET look_at = excluded.look_at`;
const FORGET = 'DELETE FROM rollup WHERE hours = $1 AND at >= $2';
const SWEEP = `
  DELETE FROM rollup WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM rollup WHERE hours = :hours AND at < :before ORDER BY at LIMIT ${SWEPT_AT_ONCE}))`;
const ADD_CARRIERS = `
  WITH noted AS (${NOTE_BATCH} RETURNING writer)
  INSERT INTO carrier_rollup (${columnNames(CARRIER_COLUMNS)})
  SELECT * FROM ${unnest('added', CARRIER_COLUMNS)} WHERE EXISTS (SELECT FROM noted)
  ON CONFLICT (hours, at, carrier) DO UPDATE SET submitted = carrier_rollup.submitted + excluded.submitted,
    refused = carrier_rollup.refused + excluded.refused, throttled = carrier_rollup.throttled + excluded.throttled`;

const carrierRowOf = readerOf(CARRIER_COLUMNS);

export function postgresRollups(db: Database, records: Records): RollupStore {
  const senders = new SenderNames();
  const open = new DatedQueue(db.clock);
  const walks = keyWalks(db);

  async function counted(tx: Queryable, rows: readonly Row[], isNew: boolean): Promise<CountedMessage[]> {
    if (rows.length === 0) return [];
    const requests = new Set(rows.map(({ msg_key }) => requestOf(String(msg_key))));
    const flows = new Map<string, Flow>();
    for (const row of await tx.query(FLOWS, [[...requests]])) {
      flows.set(String(row.request_id), countedFlow(row, records));
    }
    const over = rows.filter(({ state }) => state !== null).map(({ msg_key }) => String(msg_key));
    const found = over.length > 0 ? await tx.query(RECORDS, [over]) : [];
    const recordsOf = Map.groupBy(found, ({ msg_key }) => String(msg_key));
    return rows.map(row =>
      countedMessage(row, records, {
        flow: flows.get(requestOf(String(row.msg_key))) ?? [],
        isNew,
        records: recordsOf.get(String(row.msg_key)) ?? [],
      }),
    );
  }

  async function selectSums(query: RollupQuery, sums: readonly string[]): Promise<readonly SummedRow[]> {
    const { statement, values } = statementOf(query, sums);
    const rows = await db.query(statement, values);
    return rows.map(row => ({
      key: query.by.map(name => row[name]),
      sums: String(row.sums).split(',').map(Number),
    }));
  }

  async function learnSenders(
    tx: Queryable,
    messages: readonly CountedMessage[],
    calendar: Calendar,
  ): Promise<void> {
    const unknown = accountDays(messages, calendar).filter(
      ({ day, account }) => !senders.isKnown(day, account),
    );
    if (unknown.length === 0) return;
    const rows = await tx.query(SENDERS, arraysOf('asked', DAYS_OF_ACCOUNTS, unknown));
    const found = Map.groupBy(rows, ({ day, account }) => `${day} ${account}`);
    for (const { day, account } of unknown) {
      const names = found.get(`${day} ${account}`) ?? [];
      senders.remember(
        day,
        account,
        names.map(({ sender }) => String(sender)),
      );
    }
  }

  async function countChunk(
    tx: Queryable,
    { now, acceptedBefore, limit, calendar }: RollupOrder,
    openFrom: number,
  ): Promise<{ readonly isMore: boolean; readonly looked?: readonly number[] }> {
    // Another node holds the row: it is counting right now.
    const [position] = await tx.query('SELECT msg_key FROM rollup_position FOR UPDATE SKIP LOCKED');
    if (!position) return { isMore: false };
    const upTo = timePrefix(acceptedBefore);
    const range = {
      after: String(position.msg_key),
      before: await finish(walks.boundOf('rollups', upTo), tx),
    };
    const found = await tx.query(NEW, { ...range, limit });
    const waiting = await tx.query(OPEN, { now, limit, from: openFrom });
    const ofLate = { storedBefore: acceptedBefore, position: range.after, ahead: upTo };
    const { late, isMore } = lateAtOnce(await tx.query(LATE, ofLate));
    const passed = late.length > 0 ? await tx.query(OF_REQUESTS, [late]) : [];
    const walked = withinFlowBytes(found);
    const fresh = [...passed, ...walked.filter(({ was_counted }) => was_counted !== true)];
    const known = waiting.filter(({ msg_key }) => msg_key !== null);
    const over = known.filter(({ state }) => state !== null);
    const ended = withinFlowBytes(over);
    const messages = [...(await counted(tx, fresh, true)), ...(await counted(tx, ended, false))];
    await learnSenders(tx, messages, calendar);
    const sums = sumsOf(messages, senders, calendar);
    if (sums.length > 0) await tx.query(ADD, addedRows(sums));
    const live = [...fresh, ...known].filter(({ state }) => state === null);
    const leftOver = live.map(row => {
      return { msgKey: String(row.msg_key), lookAt: nextLook(countedAt(row), now) };
    });
    if (leftOver.length > 0) await tx.query(LEAVE, arraysOf('left_over', LEFT_OVER, leftOver));
    // Those that ended, and those that were deleted since.
    const gone = [...ended, ...waiting.filter(({ msg_key }) => msg_key === null)];
    const keys = gone.map(({ open_key }) => String(open_key));
    if (keys.length > 0) await tx.query('DELETE FROM rollup_open WHERE msg_key = ANY ($1::text[])', [keys]);
    const ahead = late.filter(request => request >= upTo);
    if (ahead.length > 0) await tx.query(NOTE_COUNTED, [ahead]);
    const requests = new Set<string>([...late, ...walked.map(({ msg_key }) => requestOf(String(msg_key)))]);
    if (requests.size > 0) await tx.query(MET, [[...requests]]);
    const last = walked.at(-1);
    if (last) {
      await tx.query('UPDATE rollup_position SET msg_key = $1', [String(last.msg_key)]);
      await tx.query(FORGET_PASSED, [requestOf(String(last.msg_key))]);
    }
    const isCut = walked.length < found.length || ended.length < over.length;
    return {
      isMore: isCut || isMore || [found, waiting].some(({ length }) => length === limit),
      ...(!isCut && { looked: waiting.map(({ look_at }) => Number(look_at)) }),
    };
  }

  return {
    async count(order) {
      await walks.promise('rollups', timePrefix(order.acceptedBefore));
      try {
        const { isMore, looked } = await open.make((from, patience) =>
          db.transaction(tx => countChunk(tx, order, from), patience),
        );
        if (looked) open.took(looked, order.limit, order.now);
        return isMore;
      } catch (error) {
        // It may have been rolled back.
        senders.forget();
        throw error;
      }
    },
    async countedUntil() {
      const [row] = await db.query('SELECT msg_key FROM rollup_position');
      const key = String(row?.msg_key ?? '');
      return key === '' ? undefined : timeOfPrefix(key);
    },
    recount: (now, calendar) =>
      db.transaction(async tx => {
        const [position] = await tx.query('SELECT msg_key FROM rollup_position FOR UPDATE');
        if (!isBeyond(String(position?.msg_key ?? ''), now)) return;
        const date = calendar.dateOf(now);
        const start = calendar.startOf(date);
        await tx.query(FORGET, [HOURS_OF.hour, start]);
        await tx.query(FORGET, [HOURS_OF.day, storedRange('day', date, date).from]);
        await tx.query(NOTE_AGAIN, [start]);
        await tx.query(FORGET_OPEN, [timePrefix(start)]);
        await tx.query('UPDATE rollup_position SET msg_key = $1', [timePrefix(start)]);
        senders.forget();
      }),
    async read(query) {
      const latencies = latenciesIn(await selectSums(anyLatency(query), LATENCY_COLUMNS));
      return rollupRowsOf(await selectSums(query, [...COUNT_COLUMNS, ...latencies]), latencies, query);
    },
    async addCarriers({ writer, number, writtenAt, sums }, calendar) {
      const added = arraysOf('added', CARRIER_COLUMNS, carrierSumsOf(sums, calendar));
      await db.query(ADD_CARRIERS, { writer, number, writtenAt, ...added });
    },
    async readCarriers(grain, from, until) {
      const rows = await db.query(
        'SELECT * FROM carrier_rollup WHERE hours = :hours AND at >= :from AND at < :until ORDER BY at, carrier',
        storedRange(grain, from, until),
      );
      return carriersIn(grain, rows.map(carrierRowOf));
    },
    async sweep(before) {
      let isMore = false;
      for (const grain of ['hour', 'day'] as const) {
        const { count } = await db.query(SWEEP, { hours: HOURS_OF[grain], before: before[grain] });
        isMore ||= count === SWEPT_AT_ONCE;
      }
      for (const grain of ['minute', 'hour', 'day'] as const) {
        await db.query('DELETE FROM carrier_rollup WHERE hours = :hours AND at < :before', {
          hours: HOURS_OF[grain],
          before: before[grain],
        });
      }
      return isMore;
    },
  };
}

function addedRows(rows: readonly StoredSums[]): Record<string, Parameter> {
  const sums = SUMMED_COLUMNS.map((name, index) => [
    `added.${name}`,
    arrayText(rows, row => row.sums[index] ?? 0),
  ]);
  return { ...arraysOf('added', ROLLUP_KEY_COLUMNS, rows), ...Object.fromEntries(sums) };
}

/** Where the stretches of a range begin, by one step in the index for each: an account's rows are found by it. */
const STARTS = `
  WITH RECURSIVE start (at) AS (
    SELECT min(at) FROM rollup WHERE hours = :hours AND at >= :from AND at < :until
     UNION ALL
    SELECT (SELECT min(rollup.at) FROM rollup WHERE hours = :hours AND rollup.at > start.at AND rollup.at < :until)
      FROM start WHERE at IS NOT NULL)
  SELECT at FROM start WHERE at IS NOT NULL`;

/** Names of columns are ours; values are given apart. */
function statementOf(
  query: RollupQuery,
  sums: readonly string[],
): {
  readonly statement: string;
  readonly values: Record<string, Value>;
} {
  const { grain, from, until, where, by } = query;
  const scope = scopeOf(query);
  const conditions = ['hours = :hours', `at = ANY (ARRAY(${STARTS}))`];
  const values: Record<string, Value> = { ...storedRange(grain, from, until) };
  if (scope !== 'one') conditions.push(scope === 'each' ? "account > ''" : "account = ''");
  for (const name of TRAFFIC_DIMENSIONS) {
    const value = where[name];
    if (value === undefined) continue;
    conditions.push(`${name} = :${name}`);
    values[name] = value;
  }
  // As one text: a field of an answer costs the driver more than a number in a text.
  const columns = [...by, `concat_ws(',', ${sums.map(name => `sum(${name})`).join(', ')}) AS sums`];
  const statement = `SELECT ${columns.join(', ')} FROM rollup WHERE ${conditions.join(' AND ')}
    ${by.length > 0 ? `GROUP BY ${by.join(', ')}` : 'HAVING count(*) > 0'}`;
  return { statement, values };
}
