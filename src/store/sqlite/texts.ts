/**
 * Removes texts in the order of keys, which is that of time: what was accepted before a moment is a range. What a reservation
 * sent at another time than its keys say waits in `text_left` until it is as old.
 */
import { timePrefix } from '../../domain/ids.ts';
import type { TextOrder } from '../port/upkeep-store.ts';
import { writerOf } from '../records/columns.ts';
import { REMOVED_TEXT_COLUMNS } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { inOneChunk, removedTextOf, sortedRequests } from '../texts.ts';
import type { Database, Row } from './database.ts';

/** Requests that are looked at together, so that the writer is never held for long. */
const CHUNK = 100;

/** The log holds removed texts until it is written back, which a quiet gateway would do once a month. */
const TRUNCATE_MS = 3_600_000;

export function textRemover(db: Database, records: Records): (order: TextOrder) => Promise<boolean> {
  const removeChunk = chunkRemover(db, records);
  let isLogClean = true;
  let truncatedAt = 0;
  return async order => {
    const { removed, isMore } = await db.write(() => removeChunk(order));
    if (removed > 0) isLogClean = false;
    if (isMore || isLogClean || Math.abs(order.now - truncatedAt) < TRUNCATE_MS) return isMore;
    isLogClean = await db.truncateLog();
    truncatedAt = order.now;
    return false;
  };
}

/** Must be called inside a transaction. */
function chunkRemover(
  db: Database,
  records: Records,
): (order: TextOrder) => { readonly removed: number; readonly isMore: boolean } {
  const position = db.prepare('SELECT request_id FROM text_position');
  const moveTo = db.prepare('UPDATE text_position SET request_id = ?');
  const lifeAndSize = (requestId: string) => `
    EXISTS (SELECT 1 FROM job WHERE msg_key >= ${requestId} AND msg_key < ${requestId} || 'zzzz') AS is_live,
    (SELECT max(msg_key) FROM message WHERE msg_key >= ${requestId} AND msg_key < ${requestId} || 'zzzz') AS last_key`;
  const selectNext = db.prepare(
    `SELECT request_id, octet_length(flow) AS bytes, accepted_at, text_removed_at, ${lifeAndSize('request_id')} FROM request
      WHERE request_id > ? AND request_id < ? ORDER BY request_id LIMIT ${CHUNK}`,
  );
  const selectLeft = db.prepare(
    `SELECT text_left.request_id, octet_length(flow) AS bytes, accepted_at, text_removed_at,
            ${lifeAndSize('text_left.request_id')}
       FROM text_left LEFT JOIN request USING (request_id) WHERE look_at <= ? ORDER BY look_at LIMIT ${CHUNK}`,
  );
  const selectFlow = db.prepare('SELECT request_id, flow FROM request WHERE request_id = ?');
  const leave = db.prepare('INSERT OR REPLACE INTO text_left (request_id, look_at) VALUES (?, ?)');
  const forget = db.prepare('DELETE FROM text_left WHERE request_id = ?');
  const removeText = db.prepare('UPDATE request SET flow = ?2, text_removed_at = ?3 WHERE request_id = ?1');
  const removeWords = db.prepare(
    `UPDATE message SET words = NULL WHERE msg_key >= ?1 AND msg_key < ?1 || 'zzzz' AND words IS NOT NULL`,
  );
  const valuesOf = writerOf(REMOVED_TEXT_COLUMNS);

  return order => {
    const { now, acceptedBefore } = order;
    const before = timePrefix(acceptedBefore);
    const reached = String((position.get() as Row).request_id);
    // The clock was set back, or texts are to be kept longer: what is accepted next may have keys below the position.
    const from = reached > before ? before : reached;
    const found = selectNext.all(from, before) as Row[];
    const due = selectLeft.all(now) as Row[];
    const [next, left] = [inOneChunk(found), inOneChunk(due)];
    const { ended, waiting, done } = sortedRequests([...next, ...left], order);
    for (const id of ended) {
      removeText.run(...valuesOf(removedTextOf(selectFlow.get(id) as Row, records, now)));
      removeWords.run(id);
    }
    for (const { requestId, lookAt } of waiting) leave.run(requestId, lookAt);
    if (left.length > 0) for (const id of done) forget.run(id);
    const to = String(next.at(-1)?.request_id ?? from);
    if (to !== reached) moveTo.run(to);
    const isMore = [found, due].some(({ length }) => length === CHUNK) || next.length < found.length;
    return { removed: ended.length, isMore: isMore || left.length < due.length };
  };
}
