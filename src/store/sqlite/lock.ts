/**
 * One server for each data directory. The lock is SQLite's own lock on a file beside the data: the system frees it
 * when the process ends, however it ends. The CLI does not take it and works beside a running server.
 */
import { DatabaseSync } from 'node:sqlite';

export class DataDirectoryInUse extends Error {
  override name = 'DataDirectoryInUse';
}

export function lockDataDirectory(file: string): { release(): void } {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw new DataDirectoryInUse(`another bongsu serves this data directory (${file} is locked)`, {
      cause: error,
    });
  }
  return { release: () => db.close() };
}
