/** Opens a database file. What SQLite says when it cannot names neither the file nor the reason; both are found here. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/** Primary result codes for trouble with the file itself: read-only, input/output, cannot open, not permitted, no database. */
const TROUBLE: ReadonlySet<number> = new Set([8, 10, 14, 23, 26]);

export class CannotOpen extends Error {
  override name = 'CannotOpen';
  readonly code = 'CANNOT_OPEN';
}

/** `prepare`: its first statements, which are what opens its other files. */
export function openFile(
  file: string,
  options: DatabaseSyncOptions = {},
  prepare: (db: DatabaseSync) => void = () => {},
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, options);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw explained(error, file, options.readOnly ?? false);
  }
}

function explained(error: unknown, file: string, isOnlyRead: boolean): unknown {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (!(error instanceof Error) || !TROUBLE.has(code)) return error;
  const reason = reasonOf(file, isOnlyRead) ?? error.message;
  return new CannotOpen(`cannot open the database ${file}: ${reason}`, { cause: error });
}

/** SQLite makes other files beside it, so the directory counts, too. */
function reasonOf(file: string, isOnlyRead: boolean): string | undefined {
  const wanted = isOnlyRead ? constants.R_OK : constants.R_OK | constants.W_OK;
  try {
    accessSync(dirname(file), isOnlyRead ? constants.X_OK : constants.W_OK | constants.X_OK);
    accessSync(file, wanted);
    return statSync(file).isFile() ? undefined : 'it is not a file';
  } catch (error) {
    // Such as "EACCES: permission denied, access '/var/lib/bongsu'".
    return error instanceof Error ? error.message : undefined;
  }
}
