/**
 * Removes texts in the order of keys, which is that of time: what was accepted before a moment is a range. What a reservation
 * sent at another time than its keys say waits in `text_left` until it is as old.
 */
import { timePrefix } from '../../domain/ids.ts';
import type { TextOrder } from '../port/upkeep-store.ts';
import { REMOVED_TEXT_COLUMNS } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { inOneChunk, type RemovedText, removedTextOf, sortedRequests } from '../texts.ts';
import type { Database, Queryable } from './database.ts';
import { boundOfWalk, promiseWalk } from './key-walks.ts';
import { arraysOf, unnest } from './unnest.ts';

/** Requests that are looked at together. */
const CHUNK = 1000;

const IN_REQUEST = "msg_key >= asked.request_id AND msg_key < asked.request_id || 'zzzz'";
const LIFE_AND_SIZE = `
  EXISTS (SELECT FROM job WHERE ${IN_REQUEST}) AS is_live,
  (SELECT msg_key FROM message WHERE ${IN_REQUEST} ORDER BY msg_key DESC LIMIT 1) AS last_key`;

const NEXT = `
  SELECT asked.*, ${LIFE_AND_SIZE}
    FROM (SELECT request_id, octet_length(flow) AS bytes, accepted_at, text_removed_at FROM request
           WHERE request_id > :from AND request_id < :before ORDER BY request_id LIMIT ${CHUNK}) AS asked
   ORDER BY request_id`;
// LIMIT keeps the planner to one look-up by key, which meets one partition.
const LEFT = `
  SELECT asked.request_id, request.bytes, request.accepted_at, request.text_removed_at, ${LIFE_AND_SIZE}
    FROM (SELECT request_id FROM text_left WHERE look_at <= :now ORDER BY look_at LIMIT ${CHUNK}) AS asked
    LEFT JOIN LATERAL (
      SELECT octet_length(flow) AS bytes, accepted_at, text_removed_at FROM request
       WHERE request.request_id = asked.request_id LIMIT 1
    ) AS request ON true`;
const FLOWS = `
  SELECT request.request_id, request.flow FROM unnest($1::text[]) AS asked (request_id)
   CROSS JOIN LATERAL (
     SELECT request_id, flow FROM request WHERE request.request_id = asked.request_id LIMIT 1
   ) AS request`;
const LEAVE = `
  INSERT INTO text_left (request_id, look_at) SELECT unnest(:ids::text[]), unnest(:looks::bigint[])
  ON CONFLICT (request_id) DO UPDATE SET look_at = excluded.look_at`;

/** The range of the chunk's keys limits the look-up to the daily partitions that can have them. */
const REMOVE_TEXTS = `
  UPDATE request SET flow = gone.flow, text_removed_at = gone.text_removed_at
    FROM ${unnest('gone', REMOVED_TEXT_COLUMNS)}
   WHERE request.request_id = gone.request_id AND request.request_id BETWEEN :first AND :last`;
const WITH_WORDS = `
  SELECT message.msg_key FROM unnest($1::text[]) AS asked (request_id)
   CROSS JOIN LATERAL (SELECT msg_key, words FROM message WHERE ${IN_REQUEST} ORDER BY msg_key LIMIT 1000) AS message
   WHERE words IS NOT NULL`;
const REMOVE_WORDS = `
  UPDATE message SET words = NULL WHERE msg_key = ANY (:keys::text[]) AND msg_key BETWEEN :first AND :last`;

export async function removeTexts(db: Database, records: Records, order: TextOrder): Promise<boolean> {
  await promiseWalk(db, 'texts', timePrefix(order.acceptedBefore));
  // An erasure by a node of an earlier version may lock a message and its request the other way round.
  return db.retrying(() => db.transaction(tx => removeChunk(tx, records, order)));
}

async function removeChunk(tx: Queryable, records: Records, order: TextOrder): Promise<boolean> {
  const { now, acceptedBefore } = order;
  // Another node holds the row: it is removing right now.
  const [position] = await tx.query('SELECT request_id FROM text_position FOR UPDATE SKIP LOCKED');
  if (!position) return false;
  const upTo = timePrefix(acceptedBefore);
  const before = await boundOfWalk(tx, 'texts', upTo);
  const reached = String(position.request_id);
  // The clock was set back, or texts are to be kept longer: what is accepted next may have keys below the position.
  const from = reached > upTo ? upTo : reached;
  const found = await tx.query(NEXT, { from, before });
  const due = await tx.query(LEFT, { now });
  const [next, left] = [inOneChunk(found), inOneChunk(due)];
  const { ended, waiting, done } = sortedRequests([...next, ...left], order);
  if (ended.length > 0) {
    const flows = await tx.query(FLOWS, [ended]);
    await remove(
      tx,
      flows.map(row => removedTextOf(row, records, now)),
    );
  }
  if (waiting.length > 0) {
    const ids = waiting.map(({ requestId }) => requestId);
    await tx.query(LEAVE, { ids, looks: waiting.map(({ lookAt }) => lookAt) });
  }
  if (left.length > 0) await tx.query('DELETE FROM text_left WHERE request_id = ANY ($1::text[])', [done]);
  const to = String(next.at(-1)?.request_id ?? from);
  if (to !== reached) await tx.query('UPDATE text_position SET request_id = $1', [to]);
  const isMore = [found, due].some(({ length }) => length === CHUNK) || next.length < found.length;
  return isMore || left.length < due.length;
}

async function remove(tx: Queryable, texts: readonly RemovedText[]): Promise<void> {
  const ids = texts.map(({ requestId }) => requestId);
  await tx.query(REMOVE_TEXTS, { ...arraysOf('gone', REMOVED_TEXT_COLUMNS, texts), ...rangeOf(ids) });
  const keys = (await tx.query(WITH_WORDS, [ids])).map(row => String(row.msg_key));
  if (keys.length > 0) await tx.query(REMOVE_WORDS, { keys, ...rangeOf(keys) });
}

function rangeOf(keys: readonly string[]): { readonly first: string; readonly last: string } {
  const sorted = [...keys].sort();
  return { first: sorted.at(0) ?? '', last: sorted.at(-1) ?? '' };
}
