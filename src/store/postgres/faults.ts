/**
 * What an error of the driver means to the caller: it did not happen, it may have happened, or it is a bug.
 *
 * An error that PostgreSQL raises for a statement rolls its transaction back: then nothing was changed, for certain, even
 * if the statement was COMMIT. A lost connection says nothing: what was sent may still be done, even after we hung up.
 */
import { DatabaseError } from 'pg';
import { StoreFault } from '../store-fault.ts';

/** The connection broke, was ended by the server, or did not answer in time. What was asked last is in doubt. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
}

export const SERIALIZATION_FAILURE = '40001';
export const DEADLOCK = '40P01';
export const CHECK_VIOLATION = '23514';
export const UNIQUE_VIOLATION = '23505';
export const LOCK_NOT_AVAILABLE = '55P03';
export const UNDEFINED_TABLE = '42P01';

/** A standby, or a server that is set to read-only. */
const READ_ONLY = '25006';

/** The server ends the session together with these. */
const SESSION_ENDED = ['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04'];
const ENDING_SEVERITIES: readonly (string | undefined)[] = ['FATAL', 'PANIC'];

/** Codes, and classes of codes, for trouble of the server rather than of the statement. */
const SERVER_TROUBLE = [
  // Another transaction was in the way.
  SERIALIZATION_FAILURE,
  DEADLOCK,
  LOCK_NOT_AVAILABLE,
  READ_ONLY,
  // Connection, resources, an operator or a time limit, the system, the server itself.
  '08',
  '53',
  '57',
  '58',
  'XX',
];

/** Whether this is the end of the connection and not only of the statement. */
export function isSessionEnd(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  const { code = '', severity } = error;
  return code.startsWith('08') || SESSION_ENDED.includes(code) || ENDING_SEVERITIES.includes(severity);
}

/** `isInDoubt`: a commit was on its way, so that losing the connection leaves it open. */
export function faultOf(error: unknown, isInDoubt: boolean): unknown {
  if (error instanceof ConnectionLost) {
    const outcome = isInDoubt ? 'mayHaveHappened' : 'didNotHappen';
    return new StoreFault(outcome, `the database: ${error.message}`, { cause: error });
  }
  if (error instanceof DatabaseError && (isServerTrouble(error.code) || isStalePlan(error))) {
    return new StoreFault('didNotHappen', `the database: ${error.message}`, { cause: error });
  }
  return error;
}

/** A pooler that does not take settings of a session (PgBouncer), which would be those of whoever comes next. */
export function isRefusedByPooler(error: unknown): boolean {
  const raised = raisedBy(error);
  return raised?.code === '08P01' && /startup parameter.*options/.test(raised.message);
}

/** The reason for not connecting does not matter: nothing was asked yet. */
export function connectFault(error: unknown): StoreFault {
  const reason = error instanceof AggregateError ? error.errors.map(String).join(', ') : String(error);
  return new StoreFault('didNotHappen', `the database cannot be reached: ${reason}`, { cause: error });
}

function isServerTrouble(code = ''): boolean {
  return SERVER_TROUBLE.includes(code) || SERVER_TROUBLE.includes(code.slice(0, 2));
}

export function isSqlState(error: unknown, ...states: readonly string[]): boolean {
  return states.includes(raisedBy(error)?.code ?? '');
}

/** PostgreSQL has lost the prepared statement, or a migration changed what it returns: it never ran. */
export function isStalePlan(error: unknown): boolean {
  const raised = raisedBy(error);
  return raised?.code === '26000' || (raised?.code === '0A000' && raised.routine === 'RevalidateCachedQuery');
}

/** Whether writing fails while reading may still work: a full disk, a failing one, a read-only server. */
export function isWriteTrouble(error: unknown): boolean {
  const code = raisedBy(error)?.code ?? '';
  return code === READ_ONLY || code.startsWith('53') || code.startsWith('58');
}

/** The server's own error, also where it has become a fault. */
function raisedBy(error: unknown): DatabaseError | undefined {
  const cause = error instanceof StoreFault ? error.cause : error;
  return cause instanceof DatabaseError ? cause : undefined;
}
