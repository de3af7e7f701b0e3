/**
 * Reads the numbered SQL files of an engine. Migrations only go forward; a released file never changes.
 *
 * A migration expands: the version before runs beside this one on the new schema. What it can no longer use is taken away by
 * a later migration, which says `-- contracts` in its first line: programs that do not know it do not start after it.
 * `-- concurrently` in the first line is for one index, written as an ordinary CREATE INDEX: PostgreSQL builds it
 * without stopping writes.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly contracts: boolean;
  readonly concurrently: boolean;
}

export function readMigrations(directory: URL): Migration[] {
  return readdirSync(directory)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => migrationOf(name, readFileSync(new URL(name, directory), 'utf8')));
}

export function migrationOf(name: string, sql: string): Migration {
  return {
    version: Number.parseInt(name, 10),
    name,
    sql,
    contracts: /^-- contracts\b/.test(sql),
    concurrently: /^-- concurrently\b/.test(sql),
  };
}
