import type { SearchStore } from '../port/operator-store.ts';
import { REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { FOLLOWERS } from '../reservations.ts';
import {
  conditionSql,
  findMessages,
  indexedOf,
  type SearchEngine,
  type Source,
  type Stretch,
} from '../search.ts';
import { indexWalk } from '../tables/index-walk.ts';
import type { Tables } from '../tables/tables.ts';
import type { Database, Row } from './database.ts';
import type { Statement } from './statement.ts';

const STRETCH = 'msg_key < ? AND msg_key >= ? ORDER BY msg_key DESC';

const FAILED = "is_last = 1 AND report_code <> '10000'";

/** Each list, newest first. */
const LISTS: Readonly<Record<Source['list'], string>> = {
  all: `message WHERE ${STRETCH}`,
  live: `job WHERE ${STRETCH}`,
  failed: `report INDEXED BY report_failed WHERE ${FAILED} AND ${STRETCH}`,
  code: `report INDEXED BY report_failed_by_code WHERE ${FAILED} AND report_code = ? AND ${STRETCH}`,
  term: `message_index WHERE term = ? AND ${STRETCH}`,
};

const COLUMNS = `
  message.msg_key, message.account, message.recipient, ${REF_OF_MESSAGE} AS ref, request.group_key, request.flow, request.accepted_at,
  coalesce(message.state, job.state) AS state, coalesce(message.step, job.step) AS step,
  message.finished_at, report.report_code, job.carrier, message.history`;

// CROSS JOIN keeps the order: the list is walked, and each of its rows looked up.
const FOUND = `
    CROSS JOIN message ON message.msg_key = listed.msg_key
    CROSS JOIN request ON request.request_id = substr(message.msg_key, 1, 29)
    LEFT JOIN job ON job.msg_key = message.msg_key
    LEFT JOIN report ON report.msg_key = message.msg_key AND report.step = message.step`;

const LATE = `
  SELECT message.msg_key FROM (
    SELECT request_id FROM late_request
     WHERE follower = '${FOLLOWERS.index}' AND request_id < ? AND request_id >= substr(?, 1, 29)
     ORDER BY request_id DESC LIMIT ?) AS late
   CROSS JOIN message ON message.msg_key >= late.request_id AND message.msg_key < late.request_id || 'zzzz'
   WHERE message.msg_key < ? AND message.msg_key >= ?`;
export function sqliteSearch(db: Database, tables: Tables, records: Records, now: () => number): SearchStore {
  const statements = new Map<string, Statement>();
  const position = db.prepare('SELECT msg_key, reach FROM index_position');

  const hasLate = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM late_request WHERE follower = '${FOLLOWERS.index}') AS found`,
  );
  /** Terms lack what lies behind the index and is not indexed yet: the conditions of the search decide about it. */
  const lacksLate = (source: Source): boolean => source.list === 'term' && (hasLate.get() as Row).found === 1;

  /** There are as many texts as combinations of filters, which is few. */
  function prepared(sql: string): Statement {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  const engine: SearchEngine = {
    async rows(source, { from, before }, conditions, examine, limit) {
      const where = conditions.map(each => conditionSql(each, () => '?')).join(' AND ') || '1';
      const isLate = lacksLate(source);
      const sql = `
        SELECT ${COLUMNS} FROM (${listOf(source, isLate)}) AS listed ${FOUND}
         WHERE ${where} ORDER BY listed.msg_key DESC LIMIT ?`;
      const walked = listed(source, { from, before }, examine, isLate);
      return prepared(sql).all(...walked, ...conditions.flatMap(({ values }) => values), limit) as Row[];
    },
    async edge(source, { from, before }, examine) {
      const isLate = lacksLate(source);
      const sql = `SELECT msg_key FROM (${listOf(source, isLate)}) LIMIT 1 OFFSET ?`;
      const walked = listed(source, { from, before }, examine, isLate);
      const row = prepared(sql).get(...walked, examine - 1) as Row | undefined;
      return row && String(row.msg_key);
    },
    async indexed() {
      const { msg_key, reach } = position.get() as Row;
      return indexedOf(String(msg_key), String(reach), now());
    },
  };

  return {
    // One process makes the keys, and mostly commits them within a turn or two. What comes later is noted (migration 0058).
    lagMs: 2000,
    find: query => findMessages(engine, records, query),
    ...indexWalk(tables, records),
  };
}

/** The newest rows of a list. Of several terms, each is walked by itself: together their index has no order by key. */
function listOf(source: Source, isLate: boolean): string {
  const newest = `SELECT msg_key FROM ${LISTS[source.list]} LIMIT ?`;
  const lists = [...listsIn(source).map(() => newest), ...(isLate ? [LATE] : [])];
  if (lists.length === 1) return newest;
  const together = lists.map(list => `SELECT msg_key FROM (${list})`).join(' UNION ');
  return `${together} ORDER BY msg_key DESC LIMIT ?`;
}

/** The parameters of `listOf`. */
function listed(
  source: Source,
  { from, before }: Stretch,
  examine: number,
  isLate: boolean,
): (string | number)[] {
  const lists = listsIn(source).map(wanted => [...wanted, before, from, examine]);
  if (isLate) lists.push([before, from, examine, before, from]);
  return lists.length === 1 ? lists.flat() : [...lists.flat(), examine];
}

/** What each of the lists that make up the source is to have. */
function listsIn(source: Source): readonly (readonly string[])[] {
  if (source.list === 'term') return source.terms.map(term => [term]);
  return [source.list === 'code' ? [source.value] : []];
}
