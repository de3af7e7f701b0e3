/**
 * Calls of clients and operators that need a row which another transaction may hold. A node that is frozen holds what it holds
 * for seconds, and who waits for it must not take the connections of everybody else: such a call asks for its lock briefly, and
 * again after a pause, without a connection meanwhile. Calls of this node for one row take turns, so that each comes in its order
 * and only one of them asks.
 */
import { sleep } from '../../platform/clock.ts';
import { StoreFault } from '../store-fault.ts';
import { type Database, isSqlState, LOCK_NOT_AVAILABLE, type Queryable, type Session } from './database.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
/** Most locks are held for a commit. */
const LOCK_WITHIN_MS = 20;

/** Repeats an attempt while it resolves to undefined, for as long as a call may take or the given time. */
export async function untilFree<Result>(
  { clock, timeoutMs }: Pick<Database, 'clock' | 'timeoutMs'>,
  attempt: () => Promise<Result | undefined>,
  withinMs = timeoutMs,
): Promise<Result> {
  const endsAt = clock.monotonic() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const leftMs = endsAt - clock.monotonic();
    if (leftMs <= 0) throw new StoreFault('didNotHappen', 'another transaction holds what it needs');
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(clock, Math.min(pauseMs, leftMs));
  }
}

/** A transaction that locks what `row` names for calls of this node; without a name it takes no turn. */
export async function lockingBriefly<Result>(
  db: Database,
  session: Session,
  row: string | undefined,
  work: (tx: Queryable) => Promise<Result>,
): Promise<Result> {
  const patience = { withinMs: db.timeoutMs, lockWithinMs: LOCK_WITHIN_MS };
  const attempt = async () => {
    try {
      return { result: await session.transaction(work, patience) };
    } catch (error) {
      if (isSqlState(error, LOCK_NOT_AVAILABLE)) return undefined;
      throw error;
    }
  };
  const endsAt = db.clock.monotonic() + db.timeoutMs;
  const locking = () => untilFree(db, attempt, endsAt - db.clock.monotonic());
  const { result } = await (row === undefined ? locking() : db.turns.run(row, locking));
  return result;
}
