import { type ColumnsOf, columnNames, writerOf } from '../records/columns.ts';
import type { Database } from './database.ts';

/** Inserts objects into a table whose columns are described; `constants` are the same for all of them, as SQL. */
export function inserter<T>(
  db: Database,
  table: string,
  columns: ColumnsOf<T>,
  constants: Readonly<Record<string, string | number>> = {},
): (object: T) => void {
  const names = [columnNames(columns), ...Object.keys(constants)];
  const values = [...Object.values(columns).map(() => '?'), ...Object.values(constants)];
  const insert = db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`);
  const write = writerOf(columns);
  return object => {
    insert.run(...write(object));
  };
}
