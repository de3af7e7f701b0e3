/**
 * One server for each data directory. The lock is SQLite's own lock on a file beside the data: the system frees it
 * when the process ends, however it ends. The CLI does not take it and works beside a running server; it only looks whether
 * there is one.
 */
import { CannotOpen, openFile } from './open-file.ts';

export class DataDirectoryInUse extends Error {
  override name = 'DataDirectoryInUse';
}

/** Whoever looks holds it for a moment, at which a server that starts must not fail. */
const LOOK_MS = 250;
/** SQLITE_BUSY */
const BUSY = 5;

export function lockDataDirectory(file: string): { release(): void } {
  try {
    const db = openFile(file, { timeout: LOOK_MS }, opened => {
      opened.exec('PRAGMA locking_mode = EXCLUSIVE');
      opened.exec('BEGIN EXCLUSIVE');
    });
    return { release: () => db.close() };
  } catch (error) {
    if (error instanceof CannotOpen) throw error;
    throw new DataDirectoryInUse(`another bongsu serves this data directory (${file} is locked)`, {
      cause: error,
    });
  }
}

/** Whether a server has the data directory. */
export function isLocked(file: string): boolean {
  try {
    openFile(file, { readOnly: true, timeout: 0 }, db => db.exec('SELECT 1 FROM sqlite_schema')).close();
    return false;
  } catch (error) {
    return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
  }
}
