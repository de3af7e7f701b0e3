import { timePrefix } from '../../domain/ids.ts';
import type { SearchStore } from '../port/operator-store.ts';
import { REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { FOLLOWERS, LATE_AT_ONCE } from '../reservations.ts';
import {
  conditionSql,
  findMessages,
  indexedOf,
  reachOf,
  type SearchEngine,
  type Source,
  type Stretch,
  termsOf,
} from '../search.ts';
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

export function sqliteSearch(db: Database, records: Records, now: () => number): SearchStore {
  const statements = new Map<string, Statement>();
  const position = db.prepare('SELECT msg_key, reach FROM index_position');
  const moveTo = db.prepare('UPDATE index_position SET msg_key = ?');
  const moveBack = db.prepare('UPDATE index_position SET msg_key = ?1, reach = max(reach, ?2)');
  const selectNew = db.prepare(
    `SELECT message.msg_key, message.account, message.recipient, ${REF_OF_MESSAGE} AS ref, request.group_key
       FROM message JOIN request ON request.request_id = substr(message.msg_key, 1, 29)
      WHERE message.msg_key > ? AND message.msg_key < ? ORDER BY message.msg_key LIMIT ?`,
  );
  const selectLate = db.prepare(
    `SELECT request_id FROM late_request WHERE follower = '${FOLLOWERS.index}' ORDER BY request_id LIMIT ${LATE_AT_ONCE}`,
  );
  const selectOfRequest = db.prepare(
    `SELECT message.msg_key, message.account, message.recipient, ${REF_OF_MESSAGE} AS ref, request.group_key
       FROM message JOIN request ON request.request_id = ?1
      WHERE message.msg_key >= ?1 AND message.msg_key < ?1 || 'zzzz'`,
  );
  const met = db.prepare(`DELETE FROM late_request WHERE follower = '${FOLLOWERS.index}' AND request_id = ?`);
  const insert = db.prepare('INSERT OR IGNORE INTO message_index (term, msg_key) VALUES (?, ?)');

  /** There are as many texts as combinations of filters, which is few. */
  function prepared(sql: string): Statement {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function indexedUpTo(): string {
    return String((position.get() as Row).msg_key);
  }

  const engine: SearchEngine = {
    async rows(source, { from, before }, conditions, examine, limit) {
      const where = conditions.map(each => conditionSql(each, () => '?')).join(' AND ') || '1';
      const sql = `
        SELECT ${COLUMNS} FROM (${listOf(source)}) AS listed ${FOUND}
         WHERE ${where} ORDER BY listed.msg_key DESC LIMIT ?`;
      const walked = listed(source, { from, before }, examine);
      return prepared(sql).all(...walked, ...conditions.flatMap(({ values }) => values), limit) as Row[];
    },
    async edge(source, { from, before }, examine) {
      const sql = `SELECT msg_key FROM (${listOf(source)}) LIMIT 1 OFFSET ?`;
      const row = prepared(sql).get(...listed(source, { from, before }, examine), examine - 1) as
        | Row
        | undefined;
      return row && String(row.msg_key);
    },
    async indexed() {
      const { msg_key, reach } = position.get() as Row;
      return indexedOf(String(msg_key), String(reach), now());
    },
  };

  return {
    // One process makes the keys, and commits them within a turn or two.
    lagMs: 2000,
    find: query => findMessages(engine, records, query),
    rewind: at =>
      db.write(() => {
        const key = timePrefix(at);
        const reached = indexedUpTo();
        if (reached > key) moveBack.run(key, reachOf(reached));
      }),
    index: (acceptedBefore, limit) =>
      db.write(() => {
        const late = selectLate.all() as Row[];
        const passed = late.flatMap(({ request_id }) => selectOfRequest.all(request_id ?? '') as Row[]);
        const walked = selectNew.all(indexedUpTo(), timePrefix(acceptedBefore), limit) as Row[];
        const rows = [...passed, ...walked];
        if (rows.length === 0) return 0;
        const entries = rows.flatMap(row =>
          termsOf(row, records).map(term => [term, String(row.msg_key)] as const),
        );
        // Neighbours one after the other: pages of the index are met once.
        entries.sort(([a], [b]) => (a < b ? -1 : 1));
        for (const [term, msgKey] of entries) insert.run(term, msgKey);
        for (const { request_id } of late) met.run(request_id ?? '');
        const last = walked.at(-1);
        if (last) moveTo.run(last.msg_key ?? null);
        return late.length === LATE_AT_ONCE ? limit : walked.length;
      }, limit),
  };
}

/** The newest rows of a list. Of several terms, each is walked by itself: together their index has no order by key. */
function listOf(source: Source): string {
  const newest = `SELECT msg_key FROM ${LISTS[source.list]} LIMIT ?`;
  const lists = listsIn(source).map(() => newest);
  if (lists.length === 1) return newest;
  const together = lists.map(list => `SELECT msg_key FROM (${list})`).join(' UNION ');
  return `${together} ORDER BY msg_key DESC LIMIT ?`;
}

/** The parameters of `listOf`. */
function listed(source: Source, { from, before }: Stretch, examine: number): (string | number)[] {
  const lists = listsIn(source).map(wanted => [...wanted, before, from, examine]);
  return lists.length === 1 ? lists.flat() : [...lists.flat(), examine];
}

/** What each of the lists that make up the source is to have. */
function listsIn(source: Source): readonly (readonly string[])[] {
  if (source.list === 'term') return source.terms.map(term => [term]);
  return [source.list === 'code' ? [source.value] : []];
}
