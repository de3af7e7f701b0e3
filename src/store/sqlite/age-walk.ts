/**
 * Finds rows past their time in tables without an index by time, which would cost every insert a write.
 *
 * Ids are mostly in the order of time, so a sweep looks at the first rows. After a clock was ahead, rows that stay long are
 * first, and hide older ones behind them. So each sweep also looks at the next stretch of ids, and starts again at the end.
 */
import type { Database, Row } from './database.ts';

/** Ids of one look: some milliseconds. */
const STRETCH = 5_000;

export interface AgedTable {
  readonly table: string;
  readonly id: string;
  readonly at: string;
  /** Which rows may go, in SQL. */
  readonly condition?: string;
}

/** Deletes up to `most` rows from before a moment; true if there may be more where they were. */
export function ageWalk(db: Database, aged: AgedTable): (before: number, most: number) => boolean {
  const { table, id, at, condition = 'true' } = aged;
  const stretch = db.prepare(
    `SELECT max(id) AS last, count(*) AS seen FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ?)`,
  );
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE ${id} IN (
       SELECT ${id} FROM ${table} WHERE ${id} > ?1 AND ${id} <= ?2 AND ${at} < ?3 AND ${condition} LIMIT ?4)`,
  );
  let position = 0;
  return (before, most) => {
    const { last, seen } = stretch.get(position, STRETCH) as Row;
    const end = Number(last ?? position);
    const removed = Number(remove.run(position, end, before, most).changes);
    // If the transaction fails, the next round looks here again.
    if (removed < most) position = Number(seen) < STRETCH ? 0 : end;
    return removed > 0;
  };
}
