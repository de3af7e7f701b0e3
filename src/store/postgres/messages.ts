import type { RequestId } from '../../domain/ids.ts';
import { firstLine } from '../history.ts';
import { BULK, READY, SINGLE } from '../phase.ts';
import type { AcceptResult, IdempotencyEntry, MessageStore, NewRequest } from '../port/message-store.ts';
import { messageViewOf } from '../rows.ts';
import { formatWords } from '../words.ts';
import type { Database, Queryable, Row } from './database.ts';
import type { Grouping } from './grouping.ts';
import { withdraw } from './withdraw.ts';

/** Measured on two cores with 1500 callers: one batch at a time 24,000 a second, two 36,000, three no more. */
const CONCURRENT_ACCEPTS = 2;

// What belongs to a job, and to a message. LIMIT keeps the planner to one look-up by key, which meets one partition.
export const MESSAGE_OF_JOB = `
  CROSS JOIN LATERAL (SELECT * FROM message WHERE message.msg_key = job.msg_key LIMIT 1) AS message`;
export const REQUEST_OF_MESSAGE = `
  CROSS JOIN LATERAL (
    SELECT ref, payment, flow, accepted_at, tells_late FROM request WHERE request_id = substr(message.msg_key, 1, 29) LIMIT 1
  ) AS request`;

export const MESSAGE_VIEW_COLUMNS = `
  message.msg_key, message.account, message.recipient, message.words, request.ref, request.payment, request.flow, request.accepted_at,
  coalesce(message.state, job.state) AS state, coalesce(message.step, job.step) AS step,
  coalesce(job.attempt, 0) AS attempt, message.history`;

const FIND = `
  SELECT ${MESSAGE_VIEW_COLUMNS}
    FROM message ${REQUEST_OF_MESSAGE}
    LEFT JOIN job ON job.msg_key = message.msg_key
   WHERE message.msg_key = $1 AND ($2::text IS NULL OR message.account = $2)`;

/**
 * A batch of requests in one statement, one round trip. A request with an idempotency
 * key is stored only if its key is new; the statement waits for another that is just storing the same key.
 */
const ACCEPT = `
  WITH fresh AS (
    INSERT INTO idempotency (account, key, body_hash, response, created_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    ON CONFLICT DO NOTHING
    RETURNING account, key
  ), accepted AS (
    SELECT request_id, asked.account, accepted_at, ref, flow, deadline_at, payment, rank, tells_late
      FROM unnest($6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::text[],
                  $17::text[], $18::smallint[], $20::smallint[])
             AS asked (request_id, account, accepted_at, ref, flow, deadline_at, key, payment, rank, tells_late)
      LEFT JOIN fresh ON fresh.account = asked.account AND fresh.key = asked.key
     WHERE asked.key IS NULL OR fresh.key IS NOT NULL
  ), recipients AS (
    SELECT msg_key, account, recipient, words, carrier, history, accepted_at, deadline_at, rank
      FROM unnest($13::text[], $14::text[], $15::text[], $16::text[], $19::text[])
             AS sent (msg_key, recipient, words, carrier, history)
      JOIN accepted ON request_id = substr(msg_key, 1, 29)
  ), new_messages AS (
    INSERT INTO message (msg_key, account, recipient, words, history)
    SELECT msg_key, account, recipient, words, history FROM recipients
  ), new_jobs AS (
    INSERT INTO job (msg_key, account, carrier, phase, due_at, state, step, attempt, deadline_at, rank)
    SELECT msg_key, account, carrier, ${READY}, accepted_at, 'queued', 0, 0, deadline_at, rank FROM recipients
  ), new_requests AS (
    INSERT INTO request (request_id, account, accepted_at, ref, payment, flow, tells_late)
    SELECT request_id, account, accepted_at, ref, payment, flow, tells_late FROM accepted
  )
  SELECT request_id FROM accepted`;

const STORED = 'SELECT request_id FROM request WHERE request_id = ANY ($1::text[])';

const KEYS = `
  SELECT idempotency.* FROM idempotency
    JOIN unnest($1::text[], $2::text[]) AS asked (account, key) USING (account, key)`;

export function postgresMessages(db: Database, grouping: Grouping): MessageStore {
  const acceptances = grouping.group<NewRequest, AcceptResult>({
    // Keys take a second look, which must be of the same transaction: a batch is stored and answered, or neither.
    commit: requests =>
      requests.some(isKeyed) ? db.transaction(tx => acceptAll(tx, requests)) : acceptAll(db, requests),
    sizeOf: request => request.messages.length,
    maxConcurrent: CONCURRENT_ACCEPTS,
  });
  const lookUps = grouping.group<RequestId, boolean>({
    async commit(ids) {
      await db.lostSessionsEnded();
      const stored = new Set((await db.query(STORED, [ids])).map(row => row.request_id));
      return ids.map(id => stored.has(id));
    },
  });
  return {
    accept: request => acceptances.add(request),
    async isStored(requestId) {
      // A batch whose callers have given up may still be under way.
      await acceptances.commitsEnded();
      return lookUps.add(requestId);
    },
    withdraw: requestId => db.transaction(tx => withdraw(tx, requestId)),
    async find(msgKey, account) {
      const [row] = await db.query(FIND, [msgKey, account ?? null]);
      return row && messageViewOf(row);
    },
  };
}

type KeyedRequest = NewRequest & { readonly idempotency: IdempotencyEntry };

async function acceptAll(db: Queryable, requests: readonly NewRequest[]): Promise<AcceptResult[]> {
  const stored = await storeNew(db, requests);
  const others = requests.filter(isKeyed).filter(request => !stored.has(request.requestId));
  const earlier = others.length > 0 ? await readKeys(db, others) : new Map<string, Row>();
  return requests.map(request => {
    if (stored.has(request.requestId)) return { kind: 'stored' };
    const first = isKeyed(request) ? earlier.get(keyOf(request)) : undefined;
    // The key was swept in this very moment; alone and with a new look, the request will be stored.
    if (!first) throw new Error(`request ${request.requestId} was neither stored nor answered before`);
    return first.body_hash === request.idempotency?.bodyHash
      ? { kind: 'replayed', response: String(first.response) }
      : { kind: 'conflict' };
  });
}

async function storeNew(db: Queryable, requests: readonly NewRequest[]): Promise<Set<string>> {
  // Of several requests with one key in the batch, the first is tried; the others are then answered as it was.
  const firstOfKey = new Map<string, KeyedRequest>();
  const asked = requests.filter(request => {
    if (!isKeyed(request)) return true;
    const isFirst = !firstOfKey.has(keyOf(request));
    if (isFirst) firstOfKey.set(keyOf(request), request);
    return isFirst;
  });
  // Sorted, so that two batches with the same keys do not wait for each other.
  const keyed = [...firstOfKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, request]) => request);
  const sent = asked.flatMap(({ messages }) => messages);
  const rows = await db.query(ACCEPT, [
    keyed.map(({ account }) => account),
    keyed.map(({ idempotency }) => idempotency.key),
    keyed.map(({ idempotency }) => idempotency.bodyHash),
    keyed.map(({ idempotency }) => idempotency.response),
    keyed.map(({ acceptedAt }) => acceptedAt),
    asked.map(({ requestId }) => requestId),
    asked.map(({ account }) => account),
    asked.map(({ acceptedAt }) => acceptedAt),
    asked.map(({ ref }) => ref ?? null),
    asked.map(({ flow }) => JSON.stringify(flow)),
    asked.map(({ deadlineAt }) => deadlineAt),
    asked.map(({ idempotency }) => idempotency?.key ?? null),
    sent.map(({ msgKey }) => msgKey),
    sent.map(({ to }) => to),
    sent.map(({ words }) => formatWords(words)),
    sent.map(({ route }) => route.carrier),
    asked.map(({ paymentCode }) => paymentCode ?? null),
    asked.map(({ isBulk }) => (isBulk ? BULK : SINGLE)),
    asked.flatMap(({ acceptedAt, messages }) => messages.map(({ route }) => firstLine(route, acceptedAt))),
    asked.map(({ tellsLate }) => (tellsLate ? 1 : 0)),
  ]);
  return new Set(rows.map(row => String(row.request_id)));
}

async function readKeys(db: Queryable, requests: readonly KeyedRequest[]): Promise<Map<string, Row>> {
  const rows = await db.query(KEYS, [
    requests.map(({ account }) => account),
    requests.map(({ idempotency }) => idempotency.key),
  ]);
  return new Map(rows.map(row => [`${row.account}\n${row.key}`, row]));
}

const isKeyed = (request: NewRequest): request is KeyedRequest => request.idempotency !== undefined;
const keyOf = ({ account, idempotency }: KeyedRequest): string => `${account}\n${idempotency.key}`;
