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
  /** Which rows are looked at, in SQL. */
  readonly condition?: string;
}

/** Deletes up to `most` rows from before a moment; true if there may be more where they were. */
export function ageWalk(db: Database, aged: AgedTable): (before: number, most: number) => boolean {
  const { table, id, at, condition = 'true' } = aged;
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE ${id} IN (
       SELECT ${id} FROM ${table} WHERE ${id} > ?1 AND ${id} <= ?2 AND ${at} < ?3 AND ${condition} LIMIT ?4)`,
  );
  const walk = stretchWalk(db, { table, id, first: 0 });
  return (before, most) =>
    walk(Number.MAX_SAFE_INTEGER, most, (after, last) =>
      Number(remove.run(after, last, before, most).changes),
    );
}

type Id = string | number;

/**
 * Looks at the next stretch of ids below an end. `remove` deletes up to `most` rows of it, and tells how many; true if there may be
 * more where they were. Rows that stay are read once in a walk, not by each look.
 */
export function stretchWalk(
  db: Database,
  { table, id, first, condition = 'true' }: Omit<AgedTable, 'at'> & { readonly first: Id },
): (end: Id, most: number, remove: (after: Id, last: Id) => number) => boolean {
  const stretch = db.prepare(
    `SELECT max(id) AS last, count(*) AS seen
       FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > ? AND ${id} < ? AND ${condition} ORDER BY ${id} LIMIT ?)`,
  );
  let position = first;
  return (end, most, remove) => {
    const { last, seen } = stretch.get(position, end, STRETCH) as Row;
    const stretchEnd = (last ?? position) as Id;
    const removed = remove(position, stretchEnd);
    // If the transaction fails, the next round looks here again.
    if (removed < most) position = Number(seen) < STRETCH ? first : stretchEnd;
    return removed > 0;
  };
}
