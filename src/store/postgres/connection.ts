/**
 * One connection to PostgreSQL, which either answers in time or is given up.
 *
 * What must never happen: a promise of `ask` that stays unsettled, or an error of the socket without a listener. A
 * connection that broke, or that did not answer in time, is destroyed and never used again: it is not known what is
 * still on its way.
 */
import { randomBytes } from 'node:crypto';
import { Client, type ClientConfig, Query, type QueryResult } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Value } from '../tables/tables.ts';
import { ConnectionLost, connectFault, isSessionEnd } from './faults.ts';
import type { Statement } from './statement.ts';

export type Row = Readonly<Record<string, Value>>;
export type Rows = readonly Row[] & {
  /** Rows returned, or changed by a write that returns none. */
  readonly count: number;
};

/** The time that a call has left, asked again for each of its statements. */
export type TimeLeft = () => number;

/** Whose rows a statement may see: a role without rights of its own, and the accounts, separated by commas. */
export interface Scope {
  readonly role: string;
  readonly accounts: string;
}

/** Both end with the transaction. It has no rows, because what follows it in the same transaction has. */
const ENTER_SCOPE = {
  name: 'enter scope',
  text: "SELECT WHERE set_config('role', $1, true) IS NULL OR set_config('bongsu.accounts', $2, true) IS NULL",
};

/** Our choice: what is asked often takes far less. */
const SLOW_MS = 200;
/** To plan all that is in use again takes a connection some milliseconds. */
const PLANS_LAST_MS = 10_000;

const BIGINT = 20;
const END_TIMEOUT_MS = 1_000;
/** For what waits without a bound: a host that has vanished is noticed. */
const KEEP_ALIVE_MS = 10_000;

export class Connection {
  /** Identifies the session in pg_stat_activity. */
  readonly name = `bongsu ${randomBytes(9).toString('base64url')}`;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #lost: (() => void)[] = [];
  readonly #unanswered = new Set<(reason: unknown) => void>();
  #brokenBy: ConnectionLost | undefined;
  #knowsScopes = false;
  #isGathering = false;
  /** PostgreSQL keeps a plan until the table has new statistics, however much it grows; when plans may be made again. */
  #arePlansDoubtful = false;
  #plansLastUntil = Number.NEGATIVE_INFINITY;
  /** Behind a pooler each transaction has another session: nothing can be prepared. */
  readonly #isPooled: boolean;

  constructor(address: ClientConfig, clock: Clock, isPooled = false) {
    this.#clock = clock;
    this.#isPooled = isPooled;
    this.#client = new Client({
      ...address,
      application_name: this.name,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: true,
    });
    // Times and counts are far below 2^53.
    this.#client.setTypeParser(BIGINT, Number);
    this.#client.on('error', error => this.destroy(error.message, error));
    // Somebody has cancelled a commit that waited for a standby: the server tells success, and may lose it all the same.
    this.#client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.destroy('a commit did not wait for a standby');
    });
    this.#client.on('end', () => this.destroy('the connection was closed'));
  }

  get isBroken(): boolean {
    return this.#brokenBy !== undefined;
  }

  /** PostgreSQL would answer its COMMIT with a ROLLBACK. */
  get hasFailedTransaction(): boolean {
    return this.#client.getTransactionStatus() === 'E';
  }

  /** Rejects with a StoreFault. */
  async open(withinMs: number): Promise<void> {
    try {
      await this.#bounded(withinMs, 'no connection', () => this.#client.connect());
    } catch (error) {
      this.destroy('it was never opened', error);
      throw connectFault(error instanceof ConnectionLost && error.cause ? error.cause : error);
    }
  }

  /** Rejects with the error of the server, or with ConnectionLost. */
  ask({ text, name, values }: Statement, timeLeft: TimeLeft): Promise<Rows> {
    const prepared = this.#isPooled ? { text, values } : { name, text, values };
    const query = name === undefined ? text : prepared;
    return this.#bounded(timeLeft(), 'no answer', async () => {
      this.#discardDoubtfulPlans();
      const startedAt = this.#clock.monotonic();
      try {
        this.#writeTogether();
        return rowsOf(await this.#client.query<Row>(query));
      } catch (error) {
        if (!isSessionEnd(error)) throw error;
        throw this.destroy(error instanceof Error ? error.message : String(error), error);
      } finally {
        if (name !== undefined) this.#judgePlans(startedAt);
      }
    });
  }

  /**
   * Asks within a scope, outside a transaction. Scope and statement are sent together and are one transaction of the
   * server, which ends with the statement: one round trip, and no BEGIN and COMMIT. Without the scope the server skips
   * the statement.
   */
  askWithin(scope: Scope, { text, name, values }: Statement, timeLeft: TimeLeft): Promise<Rows> {
    if (name === undefined)
      throw new Error(`only a statement with parameters can be asked within a scope: ${text}`);
    return this.#bounded(timeLeft(), 'no answer', async () => {
      this.#discardDoubtfulPlans();
      const startedAt = this.#clock.monotonic();
      try {
        this.#prepareScopes();
        return rowsOf(await this.#sendWithin(scope, new Query<Row>({ name, text, values })));
      } catch (error) {
        if (!isSessionEnd(error)) throw error;
        throw this.destroy(error instanceof Error ? error.message : String(error), error);
      } finally {
        this.#judgePlans(startedAt);
      }
    });
  }

  /** A statement that took long may have a plan that was made while its table was empty. */
  #judgePlans(startedAt: number): void {
    const now = this.#clock.monotonic();
    this.#arePlansDoubtful ||= now - startedAt >= SLOW_MS && now >= this.#plansLastUntil;
  }

  /** Ahead of a call, not within its transaction. Without a prepared statement there is no plan. */
  #discardDoubtfulPlans(): void {
    const isBetweenCalls = this.#unanswered.size <= 1 && this.#client.getTransactionStatus() === 'I';
    if (!this.#arePlansDoubtful || !isBetweenCalls || this.#isPooled) return;
    this.#arePlansDoubtful = false;
    this.#plansLastUntil = this.#clock.monotonic() + PLANS_LAST_MS;
    this.#client.query('DISCARD PLANS').catch(() => {});
  }

  #sendWithin({ role, accounts }: Scope, query: Query<Row>): Promise<QueryResult<Row> | QueryResult<Row>[]> {
    const submit = query.submit.bind(query);
    query.submit = connection => {
      connection.stream.cork();
      connection.bind({ statement: ENTER_SCOPE.name, values: [role, accounts] }, true);
      connection.execute({}, true);
      const refusal = submit(connection);
      connection.stream.uncork();
      return refusal;
    };
    return new Promise((resolve, reject) => {
      query.on('end', resolve);
      query.on('error', reject);
      this.#client.query(query);
    });
  }

  /** What is asked in one turn is written when that ends: a call of the system costs more than most of what it writes. */
  #writeTogether(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  /** Once for each connection, ahead of the first that needs it. By itself it changes nothing. */
  #prepareScopes(): void {
    if (this.#knowsScopes) return;
    this.#knowsScopes = true;
    this.#client.query({ ...ENTER_SCOPE, values: ['none', ''] }).catch(() => {
      this.#knowsScopes = false;
    });
  }

  /** Hangs up at once. What was not answered is lost. */
  destroy(why: string, cause?: unknown): ConnectionLost {
    if (this.#brokenBy) return this.#brokenBy;
    const lost = new ConnectionLost(why, { cause });
    this.#brokenBy = lost;
    this.#client.connection.stream.destroy();
    for (const reject of this.#unanswered) reject(lost);
    this.#unanswered.clear();
    for (const notify of this.#lost) notify();
    return lost;
  }

  /** Called when it breaks, or at once if it has: that may have happened before anybody could ask. */
  onLost(listener: () => void): void {
    if (this.#brokenBy) listener();
    else this.#lost.push(listener);
  }

  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => listener(payload ?? ''));
  }

  /** Ends the session properly if that is possible. */
  async end(): Promise<void> {
    if (this.#brokenBy) return;
    try {
      await this.#bounded(END_TIMEOUT_MS, 'no good-bye', () => this.#client.end());
    } catch {
      // It is gone all the same.
    }
    this.destroy('it was closed');
  }

  /** Settles in time even if the driver does not, and destroys the connection then. */
  #bounded<T>(withinMs: number, failure: string, work: () => Promise<T>): Promise<T> {
    if (this.#brokenBy) return Promise.reject(this.#brokenBy);
    return new Promise<T>((resolve, reject) => {
      const cancel = Number.isFinite(withinMs)
        ? this.#clock.schedule(Math.max(0, withinMs), () => {
            this.destroy(`${failure} within ${Math.round(withinMs)} ms`);
          })
        : () => {};
      const fail = (reason: unknown) => {
        cancel();
        this.#unanswered.delete(fail);
        reject(reason);
      };
      this.#unanswered.add(fail);
      work().then(result => {
        cancel();
        this.#unanswered.delete(fail);
        resolve(result);
      }, fail);
    });
  }
}

/** A text of several statements has several results; the last one counts. */
function rowsOf(result: QueryResult<Row> | QueryResult<Row>[]): Rows {
  const last = Array.isArray(result) ? result.at(-1) : result;
  return Object.assign(last?.rows ?? [], { count: last?.rowCount ?? 0 });
}
