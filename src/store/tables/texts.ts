/**
 * Removes texts in the order of keys, which is that of time: what was accepted before a moment is a range. What a reservation
 * sent at another time than its keys say waits in `text_left` until it is as old.
 */
import { type MsgKey, type RequestId, recipientIndexOf, timePrefix } from '../../domain/ids.ts';
import type { TextOrder } from '../port/upkeep-store.ts';
import type { AnyRow } from '../records/columns.ts';
import { REMOVED_TEXT_COLUMNS, withoutText } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { type KeyWalks, listsOf, sql, unnest, type Work } from './tables.ts';

/** When a request that was still on its way is looked at again. */
const TEXT_LOOK_MS = 600_000;
/** The time that texts are kept may be made shorter at any moment. */
const LATEST_LOOK_MS = 24 * 3_600_000;

const IN_REQUEST = "msg_key >= asked.request_id AND msg_key < asked.request_id || 'zzzz'";
const SIZE_AND_LIFE = `
  octet_length(flow) AS bytes, accepted_at, text_removed_at, EXISTS (SELECT 1 FROM job WHERE ${IN_REQUEST}) AS is_live,
  (SELECT msg_key FROM message WHERE ${IN_REQUEST} ORDER BY msg_key DESC LIMIT 1) AS last_key`;
const nextOf = (chunk: number): string => `
  SELECT request_id, ${SIZE_AND_LIFE}
    FROM (SELECT * FROM request WHERE request_id > :from AND request_id < :before ORDER BY request_id LIMIT ${chunk}) AS asked
   ORDER BY request_id`;
const leftOf = (chunk: number): string => `
  SELECT asked.request_id, ${SIZE_AND_LIFE}
    FROM (SELECT request_id FROM text_left WHERE look_at <= :now ORDER BY look_at LIMIT ${chunk}) AS asked
    LEFT JOIN LATERAL (SELECT * FROM request WHERE request.request_id = asked.request_id OFFSET 0) AS request ON true`;
const FLOWS = `
  SELECT request.request_id, flow FROM unnest(:ids::text[]) AS asked (request_id)
   CROSS JOIN LATERAL (SELECT * FROM request WHERE request.request_id = asked.request_id OFFSET 0) AS request`;
const LEAVE = `
  INSERT INTO text_left (request_id, look_at)
  SELECT request_id, look_at FROM unnest(:ids::text[], :looks::bigint[]) AS given (request_id, look_at) WHERE true
  ON CONFLICT (request_id) DO UPDATE SET look_at = excluded.look_at`;
// The range of the keys limits the look-up to the daily partitions that can have them.
const REMOVE_TEXTS = `
  UPDATE request SET flow = gone.flow, text_removed_at = gone.text_removed_at
    FROM ${unnest('gone', REMOVED_TEXT_COLUMNS)}
   WHERE request.request_id = gone.request_id AND request.request_id BETWEEN :first AND :last`;
const WITH_WORDS = `
  SELECT message.msg_key FROM unnest(:ids::text[]) AS asked (request_id)
   CROSS JOIN LATERAL (
     SELECT * FROM message WHERE ${IN_REQUEST} ORDER BY msg_key LIMIT 1000 OFFSET 0) AS message
   WHERE words IS NOT NULL`;
const REMOVE_WORDS = `
  UPDATE message SET words = NULL WHERE msg_key = ANY (:keys::text[]) AND msg_key BETWEEN :first AND :last`;

/** One chunk, of so many requests at the most. Before it, the walk was promised. */
export function* removeTexts(
  records: Records,
  order: TextOrder,
  chunk: number,
  walks?: KeyWalks,
): Work<{ readonly removed: number; readonly isMore: boolean }> {
  // Without it another node holds the row, and is removing right now.
  const [position] = yield* sql('SELECT request_id FROM text_position FOR UPDATE SKIP LOCKED');
  if (!position) return { removed: 0, isMore: false };
  const upTo = timePrefix(order.acceptedBefore);
  const before = walks ? yield* walks.boundOf('texts', upTo) : upTo;
  const reached = String(position.request_id);
  // The clock was set back, or texts are to be kept longer: what is accepted next may have keys below the position.
  const from = reached > upTo ? upTo : reached;
  const found = yield* sql(nextOf(chunk), { from, before });
  const due = yield* sql(leftOf(chunk), { now: order.now });
  const [next, left] = [inOneChunk(found), inOneChunk(due)];
  const { ended, waiting, done } = sortedRequests([...next, ...left], order);
  if (ended.length > 0) yield* remove(ended, records, order.now);
  if (waiting.length > 0) {
    const [ids, looks] = [waiting.map(({ requestId }) => requestId), waiting.map(({ lookAt }) => lookAt)];
    yield* sql(LEAVE, { ids, looks });
  }
  if (left.length > 0) yield* sql('DELETE FROM text_left WHERE request_id = ANY (:done::text[])', { done });
  const to = String(next.at(-1)?.request_id ?? from);
  if (to !== reached) yield* sql('UPDATE text_position SET request_id = :to', { to });
  const isMore = [found, due].some(({ length }) => length === chunk) || next.length < found.length;
  return { removed: ended.length, isMore: isMore || left.length < due.length };
}

function* remove(ids: readonly RequestId[], { unreadable }: Records, textRemovedAt: number): Work<void> {
  const texts = (yield* sql(FLOWS, { ids })).map(row => {
    const flow = unreadable.value('request', row, () => withoutText(String(row.flow)), []);
    return { requestId: row.request_id as RequestId, flow, textRemovedAt };
  });
  yield* sql(REMOVE_TEXTS, { ...listsOf('gone', REMOVED_TEXT_COLUMNS, texts), ...rangeOf(ids) });
  const keys = (yield* sql(WITH_WORDS, { ids })).map(row => String(row.msg_key));
  if (keys.length > 0) yield* sql(REMOVE_WORDS, { keys, ...rangeOf(keys) });
}

function rangeOf(keys: readonly string[]): { readonly first: string; readonly last: string } {
  const sorted = keys.toSorted();
  return { first: sorted.at(0) ?? '', last: sorted.at(-1) ?? '' };
}

interface SortedRequests {
  /** They lose their texts. */
  readonly ended: readonly RequestId[];
  /** Still on their way, or sent later than their keys say: when they are looked at again. */
  readonly waiting: readonly { readonly requestId: RequestId; readonly lookAt: number }[];
  /** Not to be looked at again. */
  readonly done: readonly RequestId[];
}

/** Flows of one chunk, which are read as a whole: a client may send up to a megabyte each. */
const MOST_BYTES = 4_000_000;
/** Messages of one chunk, whose words are removed in one statement: a request may have a thousand. */
const MOST_MESSAGES = 1000;

/** The first of the rows, which one chunk has room for; at least one. Of rows with bytes and last_key. */
function inOneChunk<Row extends AnyRow>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  let messages = 0;
  const beyond = rows.findIndex(row => {
    const isBeyond = bytes > MOST_BYTES || messages > MOST_MESSAGES;
    bytes += Number(row.bytes);
    // A request whose messages were deleted has no last key, and one whose text is gone is only passed.
    messages +=
      row.last_key === null || row.text_removed_at !== null
        ? 0
        : recipientIndexOf(row.last_key as MsgKey) + 1;
    return isBeyond;
  });
  return beyond < 0 ? rows : rows.slice(0, beyond);
}

/**
 * Of rows with request_id, bytes, accepted_at, text_removed_at, last_key and is_live. One without bytes has been deleted since it was left.
 */
function sortedRequests(rows: readonly AnyRow[], { now, acceptedBefore }: TextOrder): SortedRequests {
  const ended: RequestId[] = [];
  const waiting: { requestId: RequestId; lookAt: number }[] = [];
  const done: RequestId[] = [];
  for (const row of rows) {
    const requestId = row.request_id as RequestId;
    const hasText = row.bytes !== null && row.text_removed_at === null;
    const youngForMs = Number(row.accepted_at) - acceptedBefore;
    if (row.is_live === true || row.is_live === 1) waiting.push({ requestId, lookAt: now + TEXT_LOOK_MS });
    else if (hasText && youngForMs >= 0)
      waiting.push({ requestId, lookAt: now + Math.min(youngForMs + 1, LATEST_LOOK_MS) });
    else {
      done.push(requestId);
      if (hasText) ended.push(requestId);
    }
  }
  return { ended, waiting, done };
}
