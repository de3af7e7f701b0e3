/**
 * Where the references of some time are. They have no index by message or time: it would cost every submit a write. Their
 * ids are in the order of time.
 */
import type { Database, Row } from './database.ts';

/** Ids from `from` on and before `end`. */
export interface ReferenceSpan {
  readonly from: number;
  readonly end: number;
}

export function createReferenceSpan(db: Database): (sinceMs: number, untilMs: number) => ReferenceSpan {
  const bounds = db.prepare('SELECT min(id) AS first, max(id) AS last FROM carrier_ref');
  const at = db.prepare('SELECT id, created_at FROM carrier_ref WHERE id >= ? ORDER BY id LIMIT 1');

  /** The first id from which on references are no older than this. */
  function firstSince(ms: number, from: number, to: number): number {
    let [low, high] = [from, to + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = at.get(middle) as Row | undefined;
      if (row && Number(row.created_at) < ms) low = Number(row.id) + 1;
      else high = middle;
    }
    return low;
  }

  return (sinceMs, untilMs) => {
    const { first, last } = bounds.get() as Row;
    if (first === null || last === null) return { from: 0, end: 0 };
    const from = firstSince(sinceMs, Number(first), Number(last));
    return { from, end: firstSince(untilMs, from, Number(last)) };
  };
}
