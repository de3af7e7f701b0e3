/**
 * PostgreSQL, as the engine sees it.
 *
 * Statements are constant text and are prepared once for each connection; values travel as parameters only, a whole
 * column of a batch as one array. Statements of a transaction that do not wait for one another are pipelined.
 *
 * Every call ends in time: with a result, with a StoreFault that says whether it happened, or with the error of a bug.
 *
 * Behind a pooler a session lasts for one transaction. There every call is a transaction that begins with its settings, nothing
 * is prepared, and instead of listening everything is read again. That a call begins with a round trip of its own is needed:
 * from then on its session is known on the server by our name, so that it can be ended when it is lost (lost-sessions.ts).
 *
 * What must never happen: a promise of a write resolves before its rows are on disk. synchronous_commit is set on
 * every connection, and an address that turns it off is refused (durability.ts).
 */
import { escapeLiteral } from 'pg';
import { BACKGROUND_TASKS } from '../../domain/background-tasks.ts';
import type { AccountId } from '../../domain/ids.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { OneByOne } from '../../platform/one-by-one.ts';
import { Repeater } from '../../platform/repeater.ts';
import { StoreFault } from '../store-fault.ts';
import { type SessionConfig, sessionConfigOf } from './address.ts';
import { Connection, type Rows, type Scope } from './connection.ts';
import {
  DEADLOCK,
  faultOf,
  isRefusedByPooler,
  isSqlState,
  isStalePlan,
  isWriteTrouble,
  SERIALIZATION_FAILURE,
} from './faults.ts';
import { Listener } from './listener.ts';
import { LostSessions } from './lost-sessions.ts';
import { Pool } from './pool.ts';
import { type Statement, type StatementParameters, Statements } from './statement.ts';

export type { Row, Rows } from './connection.ts';
export {
  CHECK_VIOLATION,
  DEADLOCK,
  isSqlState,
  LOCK_NOT_AVAILABLE,
  UNDEFINED_TABLE,
  UNIQUE_VIOLATION,
} from './faults.ts';

export interface Queryable {
  query(text: string, parameters?: StatementParameters): Promise<Rows>;
}

/** What may be asked; `as` gives the same for accounts. */
export interface Session extends Queryable {
  query(text: string, parameters?: StatementParameters, patience?: Patience): Promise<Rows>;
  transaction<T>(work: (tx: Queryable) => Promise<T>, patience?: Patience): Promise<T>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** How long a call may take, with its wait for a connection and all statements of its transaction. */
  readonly timeoutMs: number;
  /** The server runs in real time, so this is the system's clock, whichever clock the gateway uses. Tests replace it. */
  readonly clock?: Clock;
}

export interface Patience {
  /** How long the whole call may take, instead of the usual time; Infinity for as long as it needs. */
  readonly withinMs: number;
  /** How long it may wait for a lock, behind which everybody else waits. */
  readonly lockWithinMs?: number;
}

const CONNECTIONS = 8;
const LONGEST_CONNECT_MS = 5_000;
const ATTEMPTS = 5;
const ROLLBACK_TIMEOUT_MS = 1_000;
/**
 * Who calls is looked up in this share of the time, for the token and for the account: it comes before the work of the request,
 * which has the rest.
 */
export const LOOK_UP_SHARE = 0.15;
/** The server gives up before we do: then it is certain that nothing happened. */
const STATEMENT_SHARE = 0.75;
const LOCK_SHARE = 0.6;

export class Database implements Session {
  /** By the names of rows that calls of this node lock (busy.ts). */
  readonly turns = new OneByOne();
  readonly #session: SessionConfig;
  readonly #localSettings: string;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pool: Pool<Connection>;
  readonly #statements = new Statements();
  readonly #lost: LostSessions;
  readonly #listeners: Pick<Listener, 'close'>[] = [];
  #writeTrouble: StoreFault | undefined;
  #accountRole: string | undefined;
  /** Known with the first connection. */
  #isPooled: boolean | undefined;

  constructor({ url, timeoutMs, clock = systemClock }: DatabaseOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#session = sessionConfigOf(url, {
      [DIRECT]: 'yes',
      synchronous_commit: 'on',
      default_transaction_isolation: 'read committed',
      statement_timeout: Math.ceil(timeoutMs * STATEMENT_SHARE),
      lock_timeout: Math.ceil(timeoutMs * LOCK_SHARE),
      idle_in_transaction_session_timeout: Math.ceil(timeoutMs),
    });
    this.#localSettings = localSettingsOf(this.#session);
    const connectTimeoutMs = Math.min(timeoutMs, LONGEST_CONNECT_MS);
    this.#pool = new Pool({
      open: withinMs => this.#openConnection(withinMs),
      clock,
      size: CONNECTIONS,
      connectTimeoutMs,
    });
    this.#lost = new LostSessions({
      ask: (text, parameters) => this.query(text, parameters),
      commitNothing: () => this.#commitNothing(),
      clock,
    });
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** Why the last write failed, if that was the server's trouble: its disk is full, or it only reads. */
  get writeTrouble(): StoreFault | undefined {
    return this.#writeTrouble;
  }

  /** Whether a pooler stands between, so that nothing can be kept in a session. Known once anything was asked. */
  get isPooled(): boolean {
    return this.#isPooled ?? false;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  query(text: string, parameters?: StatementParameters, patience?: Patience): Promise<Rows> {
    return this.#query(undefined, text, parameters, patience);
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, patience?: Patience): Promise<T> {
    this.#assertCommitsEnd();
    return this.#transaction(undefined, work, patience);
  }

  /** For what is done for these accounts: rows of others are not there, whatever the statement says. */
  as(...accounts: readonly AccountId[]): Session {
    if (this.#accountRole === undefined) return this;
    const scope = { role: this.#accountRole, accounts: [...new Set(accounts)].join(',') };
    return {
      query: (text, parameters, patience) => this.#query(scope, text, parameters, patience),
      transaction: async (work, patience) => {
        this.#assertCommitsEnd();
        return this.#transaction(scope, work, patience);
      },
    };
  }

  /** From now on `as` is a wall; until then it is none. See row-security.ts. */
  useAccountRole(role: string): void {
    this.#accountRole = role;
  }

  async #query(
    scope: Scope | undefined,
    text: string,
    parameters: StatementParameters = [],
    patience?: Patience,
  ): Promise<Rows> {
    const statement = this.#statements.of(text, parameters);
    if (statement.isWrite) this.#assertCommitsEnd();
    const call = new Call(this.#clock, patience?.withinMs ?? this.#timeoutMs);
    // The first connection tells.
    if (this.#isPooled === undefined) this.#pool.give(await this.#pool.take(call.leftMs()));
    if (this.#isPooled) return this.#transaction(scope, tx => tx.query(text, parameters), patience);
    try {
      return await this.#queryOnce(scope, statement, call);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      this.#pool.renew();
      return this.#queryOnce(scope, statement, call);
    }
  }

  async #transaction<T>(
    scope: Scope | undefined,
    work: (tx: Queryable) => Promise<T>,
    patience?: Patience,
  ): Promise<T> {
    const call = new Call(this.#clock, patience?.withinMs ?? this.#timeoutMs);
    const connection = await this.#pool.take(call.leftMs());
    let hasWritten = false;
    let isCommitting = false;
    try {
      await connection.ask(this.#statements.of(this.#begin(scope, patience)), call.leftMs);
      const result = await work({
        query: (text, parameters) => {
          const statement = this.#statements.of(text, parameters);
          hasWritten ||= statement.isWrite;
          return connection.ask(scope ? scoped(statement) : statement, call.leftMs);
        },
      });
      call.assertTimeIsLeft();
      if (connection.hasFailedTransaction) throw new Error('a statement of the transaction failed unnoticed');
      isCommitting = true;
      await connection.ask(COMMIT, call.leftMs);
      if (hasWritten) this.#writeTrouble = undefined;
      return result;
    } catch (error) {
      if (!isCommitting) await rollBack(connection);
      if (isStalePlan(error)) this.#pool.renew();
      throw await this.#faultOf(error, isCommitting && hasWritten, connection, call);
    } finally {
      this.#pool.give(connection);
    }
  }

  /**
   * What PostgreSQL does not do in a transaction. On a connection of its own, which has its limits from the beginning: a pooler
   * between us may give each statement to another session. Behind a pooler the server has no limit, and our wait ends.
   */
  async alone(text: string, { withinMs, lockWithinMs }: Patience = UNLIMITED): Promise<void> {
    if (this.#isPooled === undefined) await this.query('SELECT 1');
    const { direct, pooled } = this.#session;
    const limitMs = limitOf(withinMs);
    const limits = `-c statement_timeout=${limitMs} -c lock_timeout=${lockWithinMs ?? limitMs}`;
    const own = { ...direct, options: `${direct.options} ${limits}` };
    const connection = new Connection(this.#isPooled ? pooled : own, this.#clock, this.#isPooled);
    await connection.open(Math.min(this.#timeoutMs, LONGEST_CONNECT_MS));
    try {
      await connection.ask(
        { text, name: undefined, values: [], isWrite: true },
        () => withinMs + this.#timeoutMs,
      );
    } catch (error) {
      throw faultOf(error, true);
    } finally {
      await connection.end();
    }
  }

  /** Repeats `work` when PostgreSQL aborted it in favour of another transaction, or must prepare a statement again. */
  async retrying<T>(work: () => Promise<T>): Promise<T> {
    const call = new Call(this.#clock, this.#timeoutMs);
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const isWorthIt = isSqlState(error, SERIALIZATION_FAILURE, DEADLOCK) || isStalePlan(error);
        if (!isWorthIt || attempt === ATTEMPTS || call.leftMs() <= 0) throw error;
      }
    }
  }

  /**
   * Resolves when no session that we lost can change anything any more: what is read from then on is the truth about
   * every call that failed with mayHaveHappened before.
   */
  lostSessionsEnded(): Promise<void> {
    return this.#lost.ended();
  }

  /** Calls `onMessage` for every message, and `onListening` each time a connection has begun to listen. */
  async listen(
    channel: string,
    onMessage: (message: string) => void,
    onListening: () => void,
  ): Promise<void> {
    // Which of the two it is, is known when anything has been asked.
    if (this.#isPooled === undefined) await this.query('SELECT 1');
    if (this.#isPooled) {
      const polling = new Repeater({
        clock: this.#clock,
        everyMs: BACKGROUND_TASKS.announcements.everyMs,
        task: async () => onListening(),
        onError: () => {},
      });
      polling.start();
      this.#listeners.push({ close: () => polling.stop() });
      onListening();
      return;
    }
    const listener = new Listener({
      config: this.#session.direct,
      clock: this.#clock,
      timeoutMs: Math.min(this.#timeoutMs, LONGEST_CONNECT_MS),
      channel,
      onMessage,
      onListening,
    });
    this.#listeners.push(listener);
    await listener.start();
  }

  /** Stops waiting for lost sessions: look-ups are refused from now on. */
  stopLookingForLostSessions(): void {
    this.#lost.stop();
  }

  async close(): Promise<void> {
    this.stopLookingForLostSessions();
    await Promise.all(this.#listeners.map(listener => listener.close()));
    await this.#pool.close();
  }

  async #openConnection(withinMs: number): Promise<Connection> {
    const { direct, pooled } = this.#session;
    const isForPooler = this.#isPooled === true;
    const connection = new Connection(isForPooler ? pooled : direct, this.#clock, isForPooler);
    try {
      await connection.open(withinMs);
    } catch (error) {
      if (isForPooler || !isRefusedByPooler(error)) throw error;
      this.#isPooled = true;
      return this.#openConnection(withinMs);
    }
    if (this.#isPooled === undefined) {
      const [row] = await connection.ask(ASK_WHETHER_DIRECT, () => withinMs);
      this.#isPooled = row?.answer !== 'yes';
    }
    // Another one may have found out meanwhile that there is a pooler.
    if (this.#isPooled === isForPooler) return connection;
    await connection.end();
    return this.#openConnection(withinMs);
  }

  #begin(scope: Scope | undefined, patience: Patience | undefined): string {
    if (!this.#isPooled) return beginWith(scope, patience);
    return beginWith(scope, patience, 'BEGIN ISOLATION LEVEL READ COMMITTED', this.#localSettings);
  }

  /** Commits that wait for a standby keep their sessions on the server: there must be an end to their number. */
  #assertCommitsEnd(): void {
    if (this.#lost.awaitStandby < CONNECTIONS) return;
    throw new StoreFault('didNotHappen', 'the database waits for a standby that does not answer');
  }

  /** Rejects if it was not committed in time. That session is not in doubt, but it must not be left behind. */
  async #commitNothing(): Promise<void> {
    const call = new Call(this.#clock, this.#timeoutMs);
    const connection = await this.#pool.take(call.leftMs());
    try {
      const { text } = COMMIT_NOTHING;
      const all = this.#isPooled ? `${this.#begin(undefined, undefined)}; ${text}; COMMIT` : text;
      await connection.ask({ ...COMMIT_NOTHING, text: all }, call.leftMs);
    } catch (error) {
      if (connection.isBroken) this.#lost.add(connection.name, true);
      throw error;
    } finally {
      this.#pool.give(connection);
    }
  }

  async #queryOnce(scope: Scope | undefined, statement: Statement, call: Call): Promise<Rows> {
    const connection = await this.#pool.take(call.leftMs());
    try {
      call.assertTimeIsLeft();
      const rows = scope
        ? await connection.askWithin(scope, scoped(statement), call.leftMs)
        : await connection.ask(statement, call.leftMs);
      if (statement.isWrite) this.#writeTrouble = undefined;
      return rows;
    } catch (error) {
      throw await this.#faultOf(error, statement.isWrite, connection, call);
    } finally {
      this.#pool.give(connection);
    }
  }

  /** A fault in doubt is reported after the lost session has ended, if there is time to wait for that. */
  async #faultOf(error: unknown, isInDoubt: boolean, connection: Connection, call: Call): Promise<unknown> {
    const fault = faultOf(error, isInDoubt);
    if (fault instanceof StoreFault && isWriteTrouble(error)) this.#writeTrouble = fault;
    if (!(fault instanceof StoreFault) || fault.outcome === 'didNotHappen') return fault;
    this.#lost.add(connection.name);
    await call.orTimeOver(this.#lost.ended());
    return fault;
  }
}

/** Set where our settings arrive. */
const DIRECT = 'bongsu.direct';
const ASK_WHETHER_DIRECT: Statement = {
  text: `SELECT current_setting('${DIRECT}', true) AS answer`,
  name: undefined,
  values: [],
  isWrite: false,
};
const COMMIT: Statement = { text: 'COMMIT', name: undefined, values: [], isWrite: true };
/** Writes to the log of the server and nowhere else. */
const COMMIT_NOTHING: Statement = {
  text: "SELECT pg_logical_emit_message(true, 'bongsu', '')",
  name: undefined,
  values: [],
  isWrite: false,
};
const ROLLBACK: Statement = { text: 'ROLLBACK', name: undefined, values: [], isWrite: false };

/**
 * For a transaction that holds what every node needs: a node that freezes within it, or whose connection stalls, has its session
 * ended by the server, whatever else the transaction may take.
 */
export function endsWhenIdle(withinMs: number): string {
  return `SET LOCAL idle_in_transaction_session_timeout = ${withinMs}`;
}

const UNLIMITED: Patience = { withinMs: Number.POSITIVE_INFINITY };

/** As PostgreSQL has it: 0 is no limit. */
function limitOf(withinMs: number): number {
  return Number.isFinite(withinMs) ? Math.ceil(withinMs) : 0;
}

/** The time of one call. */
class Call {
  readonly #clock: Clock;
  readonly #endsAt: number;

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + withinMs;
  }

  readonly leftMs = (): number => this.#endsAt - this.#clock.monotonic();

  /** Asked before anything is sent that could not be taken back. */
  assertTimeIsLeft(): void {
    if (this.leftMs() <= 0) throw new StoreFault('didNotHappen', 'the time was over');
  }

  async orTimeOver(work: Promise<void>): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>(resolve => {
      const leftMs = this.leftMs();
      if (Number.isFinite(leftMs)) cancel = this.#clock.schedule(Math.max(0, leftMs), resolve);
    });
    await Promise.race([work.catch(() => {}), over]);
    cancel();
  }
}

/** Each for one transaction, and read as the server reads its configuration: a list is a list. */
function localSettingsOf({ settings }: SessionConfig): string {
  const calls = settings
    .filter(([name]) => name !== DIRECT)
    .map(([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, true)`);
  return `SELECT ${calls.join(', ')}`;
}

function beginWith(
  scope: Scope | undefined,
  patience: Patience | undefined,
  ...first: readonly string[]
): string {
  const begin = first.length > 0 ? [...first] : ['BEGIN'];
  if (patience) {
    const limitMs = limitOf(patience.withinMs);
    begin.push(
      `SET LOCAL statement_timeout = ${limitMs}`,
      `SET LOCAL lock_timeout = ${patience.lockWithinMs ?? limitMs}`,
    );
    // While it waits for something else, such as an index that another connection builds.
    if (limitMs === 0) begin.push('SET LOCAL idle_in_transaction_session_timeout = 0');
  }
  if (scope) {
    begin.push(`SET LOCAL ROLE ${escapeLiteral(scope.role)}`);
    begin.push(`SET LOCAL bongsu.accounts = ${escapeLiteral(scope.accounts)}`);
  }
  return begin.join('; ');
}

/** Plans are made for a role: without a name of its own, a statement would be planned anew each time the role changes. */
function scoped(statement: Statement): Statement {
  return statement.name === undefined ? statement : { ...statement, name: `${statement.name} scoped` };
}

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.ask(ROLLBACK, () => ROLLBACK_TIMEOUT_MS);
  } catch {
    // Without its connection the transaction is rolled back by the server.
    connection.destroy('it did not roll back');
  }
}
