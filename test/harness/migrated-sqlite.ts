/** SQLite with all tables and nothing in them. Migrating takes longer than most tests: it is done once, and the file copied. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { scratchDirectory } from './scratch.ts';

const FILE = 'bongsu.db';

let migrated: Promise<Uint8Array> | undefined;

/** A data directory for one test. */
export async function migratedDirectory(): Promise<string> {
  migrated ??= migrate();
  const dataDir = scratchDirectory();
  writeFileSync(join(dataDir, FILE), await migrated, { mode: 0o600 });
  return dataDir;
}

async function migrate(): Promise<Uint8Array> {
  const dataDir = scratchDirectory();
  await openSqliteStore({ dataDir, exclusive: true, now: () => 0 }).close();
  return readFileSync(join(dataDir, FILE));
}
