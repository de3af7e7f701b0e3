import type { AccountId } from '../../domain/ids.ts';
import type { SearchStore } from '../port/operator-store.ts';
import { REF_OF_MESSAGE } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { FOLLOWERS } from '../reservations.ts';
import {
  type Condition,
  conditionSql,
  findMessages,
  indexedOf,
  type SearchEngine,
  type Source,
} from '../search.ts';
import { indexWalk } from '../tables/index-walk.ts';
import type { Tables } from '../tables/tables.ts';
import type { Database, Queryable, Row } from './database.ts';
import { keyWalks } from './key-walks.ts';
import { REQUEST_OF_MESSAGE } from './messages.ts';

const STRETCH = 'msg_key < :before AND msg_key >= :from';

const FAILED = "is_last = 1 AND report_code <> '10000'";

/** Where each list is read from. */
const LISTS: Readonly<Record<Source['list'], string>> = {
  all: `message WHERE ${STRETCH}`,
  live: `job WHERE ${STRETCH}`,
  failed: `report WHERE ${FAILED} AND ${STRETCH}`,
  code: `report WHERE ${FAILED} AND report_code = :value AND ${STRETCH}`,
  // With what is not indexed yet though it lies behind the index: the conditions of the search decide about it.
  term: `(
    SELECT found.msg_key FROM unnest(:terms::text[]) AS wanted (term)
     CROSS JOIN LATERAL (
       SELECT msg_key FROM message_index WHERE message_index.term = wanted.term AND ${STRETCH}
        ORDER BY msg_key DESC LIMIT :examine
     ) AS found
     UNION
    SELECT message.msg_key FROM (
       SELECT request_id FROM late_request
        WHERE follower = '${FOLLOWERS.index}' AND request_id < :before AND request_id >= substr(:from, 1, 29)
        ORDER BY request_id DESC LIMIT :examine
     ) AS late
     CROSS JOIN LATERAL (
       SELECT msg_key FROM message
        WHERE msg_key >= late.request_id AND msg_key < late.request_id || 'zzzz' AND ${STRETCH} LIMIT 1000
     ) AS message
  ) AS found`,
};

const COLUMNS = `
  message.msg_key, message.account, message.recipient, ${REF_OF_MESSAGE} AS ref, request.group_key, request.flow, request.accepted_at,
  coalesce(message.state, job.state) AS state, coalesce(message.step, job.step) AS step,
  message.finished_at, report.report_code, job.carrier, message.history`;

const MESSAGE_OF_LISTED = `
  CROSS JOIN LATERAL (SELECT * FROM message WHERE message.msg_key = listed.msg_key LIMIT 1) AS message`;
// LIMIT keeps the planner to look-ups by key; left to itself it may read a swollen table for each row.
const STATE_OF_MESSAGE = `
  LEFT JOIN LATERAL (
    SELECT state, step, carrier FROM job WHERE job.msg_key = message.msg_key LIMIT 1
  ) AS job ON true
  LEFT JOIN LATERAL (
    SELECT report_code, service_type FROM report WHERE report.msg_key = message.msg_key AND report.step = message.step LIMIT 1
  ) AS report ON true`;

/** Rows of the list of all messages are the messages; the others lead to them. */
function fromList({ list }: Source): string {
  const columns = list === 'all' ? '*' : 'msg_key';
  const listed = `(SELECT ${columns} FROM ${LISTS[list]} ORDER BY msg_key DESC LIMIT :examine)`;
  return list === 'all' ? `${listed} AS message` : `${listed} AS listed ${MESSAGE_OF_LISTED}`;
}

/** Keys alone, of which an account then sees its own. */
const FROM_KEYS = `unnest(:keys::text[]) AS listed (msg_key) ${MESSAGE_OF_LISTED}`;

export function postgresSearch(
  db: Database,
  tables: Tables,
  records: Records,
  now: () => number,
): SearchStore {
  const engine: SearchEngine = {
    rows(source, { from, before }, conditions, examine, limit) {
      const listed = source.list === 'all' ? 'message' : 'listed';
      const walked = { before, from, examine, ...wantedIn(source) };
      return found(db, fromList(source), listed, walked, conditions, limit);
    },
    async edge(source, { from, before }, examine) {
      const text = `SELECT msg_key FROM ${LISTS[source.list]} ORDER BY msg_key DESC LIMIT 1 OFFSET :skip`;
      const [row] = await db.query(text, { before, from, examine, skip: examine - 1, ...wantedIn(source) });
      return row && String(row.msg_key);
    },
    async indexed() {
      const [row] = await db.query('SELECT msg_key, reach FROM index_position');
      return indexedOf(String(row?.msg_key ?? ''), String(row?.reach ?? ''), now());
    },
  };

  /**
   * Lists are of all accounts: the keys in them are read as a bounded number, those of the list of all messages only where
   * they are the account's, and the messages with the rights of the account.
   */
  function ownEngine(account: AccountId): SearchEngine {
    return {
      ...engine,
      async rows(source, { from, before }, conditions, examine, limit) {
        const walked = `FROM ${LISTS[source.list]} ORDER BY msg_key DESC LIMIT :examine`;
        const list =
          source.list === 'all'
            ? `SELECT msg_key FROM (SELECT msg_key, account ${walked}) AS walked WHERE account = :account`
            : `SELECT msg_key ${walked}`;
        const keys = await db.query(list, { before, from, examine, account, ...wantedIn(source) });
        const own = { keys: keys.map(({ msg_key }) => String(msg_key)) };
        return found(db.as(account), FROM_KEYS, 'listed', own, conditions, limit);
      },
    };
  }

  return {
    // Most have been committed by then: those that come later are read one request at a time.
    lagMs: 15_000,
    find: query =>
      findMessages(query.isOwn && query.account ? ownEngine(query.account) : engine, records, query),
    ...indexWalk(tables, records, keyWalks(db)),
  };
}

function found(
  db: Queryable,
  from: string,
  listed: 'message' | 'listed',
  walked: Readonly<Record<string, string | number | readonly string[]>>,
  conditions: readonly Condition[],
  limit: number,
): Promise<readonly Row[]> {
  const where = conditions.map((each, at) => conditionSql(each, index => `:condition${at}v${index}`));
  const values = Object.fromEntries(
    conditions.flatMap(each =>
      each.values.map((value, index) => [`condition${conditions.indexOf(each)}v${index}`, value]),
    ),
  );
  const text = `
    SELECT ${COLUMNS} FROM ${from} ${REQUEST_OF_MESSAGE} ${STATE_OF_MESSAGE}
     WHERE ${where.join(' AND ') || 'true'} ORDER BY ${listed}.msg_key DESC LIMIT :limit`;
  return db.query(text, { ...walked, limit, ...values });
}

function wantedIn(source: Source): Readonly<Record<string, string | readonly string[]>> {
  if (source.list === 'term') return { terms: source.terms };
  return source.list === 'code' ? { value: source.value } : {};
}
