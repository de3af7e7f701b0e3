/** Reads the numbered SQL files of an engine. Migrations only go forward; a released file never changes. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export function readMigrations(directory: URL): Migration[] {
  return readdirSync(directory)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => ({
      version: Number.parseInt(name, 10),
      name,
      sql: readFileSync(new URL(name, directory), 'utf8'),
    }));
}
