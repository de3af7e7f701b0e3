import { type ColumnsOf, columnNames, writerOf } from '../records/columns.ts';
import type { Database } from './database.ts';

/**
 * Inserts objects into a table whose columns are described; `constants` are the same for all of them, as SQL. Tells how many
 * characters the texts of a row have.
 */
export function inserter<T>(
  db: Database,
  table: string,
  columns: ColumnsOf<T>,
  constants: Readonly<Record<string, string | number>> = {},
): (object: T) => number {
  const names = [columnNames(columns), ...Object.keys(constants)];
  const values = [...Object.values(columns).map(() => '?'), ...Object.values(constants)];
  const insert = db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`);
  const write = writerOf(columns);
  return object => {
    const row = write(object);
    insert.run(...row);
    let length = 0;
    for (const value of row) if (typeof value === 'string') length += value.length;
    return length;
  };
}
