import { routedAt } from '../../domain/delivery/settlement.ts';
import type { AccountId, MsgKey, RequestId } from '../../domain/ids.ts';
import { BULK, SINGLE } from '../phase.ts';
import type {
  AcceptResult,
  GivenAnswer,
  IdempotencyEntry,
  MessageStore,
  NewRequest,
} from '../port/message-store.ts';
import { columnNames, optional, text } from '../records/columns.ts';
import { NEW_JOB_COLUMNS, NEW_JOB_CONSTANTS, NEW_JOBS_COLUMNS, newTurn } from '../records/job-columns.ts';
import {
  type Content,
  IDEMPOTENCY_COLUMNS,
  MESSAGE_COLUMNS,
  MESSAGE_VIEW,
  REQUEST_COLUMNS,
} from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { givenAnswerIn, repetitionOf } from '../tables/idempotency.ts';
import type { Tables } from '../tables/tables.ts';
import { unnest } from '../tables/tables.ts';
import { withdrawal } from '../tables/withdraw.ts';
import { arraysOf } from './arrays.ts';
import { untilFree } from './busy.ts';
import type { Database, Queryable, Row } from './database.ts';
import type { Grouping } from './grouping.ts';
import type { Contents } from './live-steps.ts';

/** Measured on two cores with 1500 callers: one batch at a time 24,000 a second, two 36,000, three no more. */
const CONCURRENT_ACCEPTS = 2;
/** Each key is a lock, and the server has room for some thousand locks: a batch has a hundred keys at most. */
const ROWS_OF_KEY = 10;
/** Sets our locks apart from others. */
const KEY_LOCK = 8;
/** How long a repetition waits for the call that is just storing its key, as a share of the time of a call. */
const KEY_WAIT_SHARE = 0.1;

// What belongs to a job, and to a message. LIMIT keeps the planner to one look-up by key, which meets one partition.
export const MESSAGE_OF_JOB = `
  CROSS JOIN LATERAL (SELECT * FROM message WHERE message.msg_key = job.msg_key LIMIT 1) AS message`;
export const REQUEST_OF_MESSAGE = `
  CROSS JOIN LATERAL (
    SELECT ref, group_key, traceparent, payment, flow, accepted_at, tells_late, text_removed_at FROM request WHERE request_id = substr(message.msg_key, 1, 29) LIMIT 1
  ) AS request`;

const FIND = `
  SELECT ${MESSAGE_VIEW}
    FROM message ${REQUEST_OF_MESSAGE}
    LEFT JOIN job ON job.msg_key = message.msg_key
   WHERE message.msg_key = $1 AND ($2::text IS NULL OR message.account = $2)`;

/** What a request gives to the jobs of its recipients, and the key it depends on. */
const FOR_JOBS = { ...NEW_JOBS_COLUMNS, key: optional(text('key')) };

/** What a recipient of a request has of his own, and the account, to which his values are bound. */
const recipientColumns = (message: typeof MESSAGE_COLUMNS) => ({
  ...message,
  carrier: NEW_JOB_COLUMNS.carrier,
});

/** Resolves to whether nobody else is storing something under this key; holds it until the transaction ends. */
const isKeyFree = (account: string, key: string): string =>
  `pg_try_advisory_xact_lock(hashtextextended(${account} || ' ' || ${key}, ${KEY_LOCK}))`;

/**
 * A batch of requests in one statement, one round trip. A request with an idempotency key is stored only if its key is new. One
 * whose key another call is just storing is left out, as the batch would wait for that call.
 */
const ACCEPT = `
  WITH keyed AS MATERIALIZED (
    SELECT keyed.*, ${isKeyFree('account', 'key')} AS is_free FROM ${unnest('keyed', IDEMPOTENCY_COLUMNS)}
  ), fresh AS (
    INSERT INTO idempotency (${columnNames(IDEMPOTENCY_COLUMNS)})
    SELECT ${columnNames(IDEMPOTENCY_COLUMNS)} FROM keyed WHERE is_free
    ON CONFLICT DO NOTHING
    RETURNING account, key
  ), accepted AS (
    SELECT asked.*
      FROM ${unnest('asked', { ...REQUEST_COLUMNS, ...FOR_JOBS })}
      LEFT JOIN fresh ON fresh.account = asked.account AND fresh.key = asked.key
     WHERE asked.key IS NULL OR fresh.key IS NOT NULL
  ), recipients AS (
    SELECT sent.*, accepted_at AS due_at, ${columnNames(NEW_JOBS_COLUMNS)}
      FROM ${unnest('sent', recipientColumns(MESSAGE_COLUMNS))}
      JOIN accepted ON request_id = substr(msg_key, 1, 29)
  ), new_messages AS (
    INSERT INTO message (${columnNames(MESSAGE_COLUMNS)}) SELECT ${columnNames(MESSAGE_COLUMNS)} FROM recipients
  ), new_jobs AS (
    INSERT INTO job (${columnNames(NEW_JOB_COLUMNS)}, ${Object.keys(NEW_JOB_CONSTANTS).join(', ')})
    SELECT ${columnNames(NEW_JOB_COLUMNS)}, ${Object.values(NEW_JOB_CONSTANTS).join(', ')} FROM recipients
  ), new_requests AS (
    INSERT INTO request (${columnNames(REQUEST_COLUMNS)}) SELECT ${columnNames(REQUEST_COLUMNS)} FROM accepted
  )
  SELECT request_id, NULL AS account, NULL AS key FROM accepted
   UNION ALL
  SELECT NULL, account, key FROM keyed WHERE NOT is_free`;

const STORED = 'SELECT request_id FROM request WHERE request_id = ANY ($1::text[])';

const ASKED_KEY = { account: IDEMPOTENCY_COLUMNS.account, key: IDEMPOTENCY_COLUMNS.key };
const KEYS = `
  SELECT idempotency.* FROM idempotency
    JOIN ${unnest('asked', ASKED_KEY)} USING (account, key)`;

export function postgresMessages(
  db: Database,
  tables: Tables,
  records: Records,
  grouping: Grouping,
  contents: Contents,
): MessageStore {
  const acceptances = grouping.group<NewRequest, AcceptResult | 'busy'>({
    // Keys take a second look, which must be of the same transaction: a batch is stored and answered, or neither.
    commit: requests => {
      const theirs = db.as(...requests.map(({ account }) => account));
      return requests.some(isKeyed)
        ? theirs.transaction(tx => acceptAll(tx, records, requests))
        : acceptAll(theirs, records, requests);
    },
    sizeOf: request => request.messages.length + (isKeyed(request) ? ROWS_OF_KEY : 0),
    maxConcurrent: CONCURRENT_ACCEPTS,
  });
  const lookUps = grouping.group<RequestId, boolean>({
    async commit(ids) {
      await db.lostSessionsEnded();
      const stored = new Set((await db.query(STORED, [ids])).map(row => row.request_id));
      return ids.map(id => stored.has(id));
    },
  });
  const answers = grouping.group<
    { readonly account: AccountId; readonly key: string },
    GivenAnswer | undefined
  >({
    async commit(asked) {
      const found = await readKeys(db.as(...asked.map(({ account }) => account)), asked);
      return asked.map(each => {
        const row = found.get(nameOf(each));
        return row && givenAnswerIn(row, records);
      });
    },
  });
  return {
    async accept(request) {
      const attempt = async () => {
        const result = await acceptances.add(request);
        return result === 'busy' ? undefined : result;
      };
      const result = await untilFree(db, attempt, KEY_WAIT_SHARE * db.timeoutMs);
      if (request.claim && result.kind === 'stored') contents.keep(contentsOf(request));
      return result;
    },
    async isStored(requestId) {
      // A batch whose callers have given up may still be under way.
      await acceptances.commitsEnded();
      return lookUps.add(requestId);
    },
    answerUnder: (account, key) => answers.add({ account, key }),
    withdraw: withdrawal(tables, records),
    async find(msgKey, account) {
      const session = account === undefined ? db : db.as(account);
      const rows = await session.query(FIND, [msgKey, account ?? null]);
      return records.unreadable.each('message', rows, records.messageViewOf)[0];
    },
  };
}

type KeyedRequest = NewRequest & { readonly idempotency: IdempotencyEntry };

/** Busy: another call is storing a request under the same key. */
export async function acceptAll(
  db: Queryable,
  records: Records,
  requests: readonly NewRequest[],
): Promise<(AcceptResult | 'busy')[]> {
  const { stored, busy } = await storeNew(db, records, requests);
  const others = requests
    .filter(isKeyed)
    .filter(request => !stored.has(request.requestId) && !busy.has(keyOf(request)));
  const earlier = others.length > 0 ? await readKeys(db, others.map(keyRowOf)) : new Map<string, Row>();
  return requests.map(request => {
    if (stored.has(request.requestId)) return { kind: 'stored' };
    if (isKeyed(request) && busy.has(keyOf(request))) return 'busy';
    const first = isKeyed(request) ? earlier.get(keyOf(request)) : undefined;
    // The key was swept in this very moment; alone and with a new look, the request will be stored.
    if (!first) throw new Error(`request ${request.requestId} was neither stored nor answered before`);
    return repetitionOf(request.idempotency, givenAnswerIn(first, records));
  });
}

async function storeNew(
  db: Queryable,
  records: Records,
  requests: readonly NewRequest[],
): Promise<{ readonly stored: ReadonlySet<string>; readonly busy: ReadonlySet<string> }> {
  // Of several requests with one key in the batch, the first is tried; the others are then answered as it was.
  const firstOfKey = new Map<string, KeyedRequest>();
  const asked = requests.filter(request => {
    if (!isKeyed(request)) return true;
    const isFirst = !firstOfKey.has(keyOf(request));
    if (isFirst) firstOfKey.set(keyOf(request), request);
    return isFirst;
  });
  // Sorted: a node of an earlier version waits for keys in this order.
  const keyed = [...firstOfKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, request]) => request);
  const sent = asked.flatMap(({ account, acceptedAt, messages }) =>
    messages.map(({ msgKey, to, words, ref, route }) => {
      const history = [routedAt(0, route, acceptedAt)];
      return { msgKey, account, to, words, ref, history, carrier: route.carrier };
    }),
  );
  const forJobs = asked.map(request => {
    const { deadlineAt, isBulk, idempotency } = request;
    return { deadlineAt, rank: isBulk ? BULK : SINGLE, ...newTurn(request), key: idempotency?.key };
  });
  const rows = await db.query(ACCEPT, {
    ...arraysOf('keyed', records.idempotency, keyed.map(keyRowOf)),
    ...arraysOf('asked', records.request, asked),
    ...arraysOf('asked', FOR_JOBS, forJobs),
    ...arraysOf('sent', recipientColumns(records.message), sent),
  });
  const [accepted, busy] = [rows.filter(row => row.key === null), rows.filter(row => row.key !== null)];
  return {
    stored: new Set(accepted.map(row => String(row.request_id))),
    busy: new Set(busy.map(row => `${row.account}\n${row.key}`)),
  };
}

/** What settle will need of the messages, which are on their way already. */
function contentsOf({ flow, groupKey, traceparent, messages, ...request }: NewRequest): Map<MsgKey, Content> {
  return new Map(
    messages.map(({ msgKey, to, words, ref = request.ref }) => [
      msgKey,
      { to, words, ref, groupKey, traceparent, flow },
    ]),
  );
}

async function readKeys(
  db: Queryable,
  keys: readonly { readonly account: AccountId; readonly key: string }[],
): Promise<Map<string, Row>> {
  const rows = await db.query(KEYS, arraysOf('asked', ASKED_KEY, keys));
  return new Map(rows.map(row => [`${row.account}\n${row.key}`, row]));
}

function keyRowOf({ account, idempotency, acceptedAt }: KeyedRequest) {
  return { account, ...idempotency, createdAt: acceptedAt };
}

const isKeyed = (request: NewRequest): request is KeyedRequest => request.idempotency !== undefined;
const nameOf = ({ account, key }: { readonly account: AccountId; readonly key: string }): string =>
  `${account}\n${key}`;
const keyOf = ({ account, idempotency: { key } }: KeyedRequest): string => nameOf({ account, key });
