/**
 * Finds rows past their time in tables without an index by time, which would cost every insert a write.
 *
 * Ids are mostly in the order of time, so a sweep looks at the first rows. After a clock was ahead, rows that stay long are
 * first, and hide older ones behind them. So each sweep also looks at the next stretch of ids, and starts again at the end.
 * Each node walks by itself.
 */
import type { Database } from './database.ts';

/** Ids of one look. */
const STRETCH = 20_000;

export interface AgedTable {
  readonly table: string;
  readonly id: string;
  readonly at: string;
  /** Which rows are looked at, in SQL. */
  readonly condition?: string;
}

/** Deletes up to `most` rows from before a moment; true if there may be more where they were. */
export function ageWalk(db: Database, aged: AgedTable): (before: number, most: number) => Promise<boolean> {
  const { table, id, at, condition = 'true' } = aged;
  const remove = `
    DELETE FROM ${table} WHERE ${id} = ANY (ARRAY(
      SELECT ${id} FROM ${table} WHERE ${id} > $1 AND ${id} <= $2 AND ${at} < $3 AND ${condition}
       LIMIT $4 FOR UPDATE SKIP LOCKED))`;
  const walk = stretchWalk(db, { table, id, first: 0 });
  return (before, most) =>
    walk(Number.MAX_SAFE_INTEGER, most, async (after, last) => {
      const { count } = await db.query(remove, [after, last, before, most]);
      return count;
    });
}

type Id = string | number;

/**
 * Looks at the next stretch of ids below an end. `remove` deletes up to `most` rows of it, and tells how many; true if there may be
 * more where they were. Rows that stay are read once in a walk, not by each look.
 */
export function stretchWalk(
  db: Database,
  { table, id, first, condition = 'true' }: Omit<AgedTable, 'at'> & { readonly first: Id },
): (end: Id, most: number, remove: (after: Id, last: Id) => Promise<number>) => Promise<boolean> {
  const stretch = `
    SELECT max(id) AS last, count(*) AS seen
      FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > $1 AND ${id} < $2 AND ${condition} ORDER BY ${id} LIMIT ${STRETCH}) AS stretch`;
  let position = first;
  return async (end, most, remove) => {
    const [row] = await db.query(stretch, [position, end]);
    const stretchEnd = (row?.last ?? position) as Id;
    const removed = await remove(position, stretchEnd);
    if (removed < most) position = Number(row?.seen) < STRETCH ? first : stretchEnd;
    return removed > 0;
  };
}
