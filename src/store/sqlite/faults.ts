/**
 * What an error of SQLite means: trouble of the disk or the file, or a database that is closed already, is a StoreFault;
 * anything else is a bug.
 *
 * A transaction that failed was rolled back, so it did not happen, with one exception. A COMMIT that failed on writing or
 * syncing may have left its last record in the log: this process rolled it back and does not see it, but if it dies before
 * the next commit overwrites that record, the next start finds it and counts it as done.
 */
import { StoreFault } from '../store-fault.ts';

const IOERR = 10;

/** Primary result codes (sqlite.org/rescode.html) for trouble of the disk, the file or other processes. */
const TROUBLE: Readonly<Record<number, string>> = {
  5: 'busy',
  6: 'locked',
  7: 'out of memory',
  8: 'read-only',
  9: 'interrupted',
  [IOERR]: 'input/output error',
  11: 'damaged',
  13: 'full',
  14: 'cannot be opened',
  15: 'not lockable',
  22: 'too large for this system',
  23: 'not permitted',
  26: 'not a database',
};

export function faultOf(error: unknown, doing: 'statement' | 'commit'): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE')
    return new StoreFault('didNotHappen', 'the store is closed', { cause: error });
  const code = resultCodeOf(error);
  const trouble = code === undefined ? undefined : TROUBLE[code];
  if (trouble === undefined) return error;
  const outcome = doing === 'commit' && code === IOERR ? 'mayHaveHappened' : 'didNotHappen';
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreFault(outcome, `the database file is ${trouble}: ${reason}`, { cause: error });
}

/** The lower byte of an extended code is the primary one. */
function resultCodeOf(error: unknown): number | undefined {
  const isOfSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isOfSqlite ? Number(error.errcode) & 0xff : undefined;
}
