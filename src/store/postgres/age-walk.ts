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
  /** Which rows may go, in SQL. */
  readonly condition?: string;
}

/** Deletes up to `most` rows from before a moment; true if there may be more where they were. */
export function ageWalk(db: Database, aged: AgedTable): (before: number, most: number) => Promise<boolean> {
  const { table, id, at, condition = 'true' } = aged;
  const stretch = `
    SELECT max(id) AS last, count(*) AS seen
      FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > $1 ORDER BY ${id} LIMIT ${STRETCH}) AS stretch`;
  const remove = `
    DELETE FROM ${table} WHERE ${id} = ANY (ARRAY(
      SELECT ${id} FROM ${table} WHERE ${id} > $1 AND ${id} <= $2 AND ${at} < $3 AND ${condition}
       LIMIT $4 FOR UPDATE SKIP LOCKED))`;
  let position = 0;
  return async (before, most) => {
    const [row] = await db.query(stretch, [position]);
    const end = Number(row?.last ?? position);
    const { count: removed } = await db.query(remove, [position, end, before, most]);
    if (removed < most) position = Number(row?.seen) < STRETCH ? 0 : end;
    return removed > 0;
  };
}
