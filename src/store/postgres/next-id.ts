import type { Queryable } from './database.ts';

/** The id of a row that is about to be inserted, because an encrypted value of it is bound to its id. */
export async function nextId(db: Queryable, table: string): Promise<number> {
  const [row] = await db.query("SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id", [table]);
  return Number(row?.id);
}
