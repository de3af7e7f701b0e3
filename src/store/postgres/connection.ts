/**
 * One connection to PostgreSQL, which either answers in time or is given up.
 *
 * What must never happen: a promise of `ask` that stays unsettled, or an error of the socket without a listener. A
 * connection that broke, or that did not answer in time, is destroyed and never used again: it is not known what is
 * still on its way.
 */
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { Batch, type BatchStatement, type Prepared, type Rows } from './batch.ts';
import { ConnectionLost, connectFault, isSessionEnd } from './faults.ts';
import type { Statement } from './statement.ts';

export type { Row, Rows } from './batch.ts';

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

/** One call, of a statement and what has to go ahead of it. */
interface Pending {
  readonly statements: readonly BatchStatement[];
  readonly resolve: (rows: Rows) => void;
  readonly reject: (reason: unknown) => void;
}

const NO_ROWS: Rows = Object.assign([], { count: 0 });

const DISCARD_PLANS: BatchStatement = { name: undefined, text: 'DISCARD PLANS', values: [] };

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
  readonly #socket = new Socket();
  readonly #clock: Clock;
  readonly #lost: (() => void)[] = [];
  readonly #unanswered = new Set<(reason: unknown) => void>();
  #brokenBy: ConnectionLost | undefined;
  readonly #prepared: Prepared = new Map();
  readonly #pending: Pending[] = [];
  #isSending = false;
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
      stream: () => this.#socket,
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
  ask(statement: Statement, timeLeft: TimeLeft): Promise<Rows> {
    return this.#ask([this.#isPooled && statement.name ? { ...statement, name: '' } : statement], timeLeft);
  }

  /**
   * Asks within a scope, outside a transaction. Scope and statement are sent together and are one transaction of the
   * server, which ends with the statement: one round trip, and no BEGIN and COMMIT. Without the scope the server skips
   * the statement.
   */
  askWithin({ role, accounts }: Scope, statement: Statement, timeLeft: TimeLeft): Promise<Rows> {
    if (statement.name === undefined)
      throw new Error(`only a statement with parameters can be asked within a scope: ${statement.text}`);
    return this.#ask([{ ...ENTER_SCOPE, values: [role, accounts] }, statement], timeLeft);
  }

  #ask(statements: readonly BatchStatement[], timeLeft: TimeLeft): Promise<Rows> {
    return this.#bounded(timeLeft(), 'no answer', async () => {
      this.#discardDoubtfulPlans();
      const startedAt = this.#clock.monotonic();
      try {
        return await this.#send(statements);
      } catch (error) {
        if (!isSessionEnd(error)) throw error;
        throw this.destroy(error instanceof Error ? error.message : String(error), error);
      } finally {
        if (statements[0]?.name !== undefined) this.#judgePlans(startedAt);
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
    this.#send([DISCARD_PLANS]).catch(() => {});
  }

  #send(statements: readonly BatchStatement[]): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ statements, resolve, reject });
      if (this.#isSending) return;
      this.#isSending = true;
      process.nextTick(() => this.#sendPending());
    });
  }

  /**
   * What was asked in one turn of a transaction is sent together: one failure undoes it all in any case. Anything else is sent
   * by itself.
   */
  #sendPending(): void {
    const isTogether = this.#client.getTransactionStatus() === 'T';
    const firstAlone = this.#pending.findIndex(
      ({ statements }) => !isTogether || statements[0]?.name === undefined,
    );
    const calls = this.#pending.splice(0, firstAlone < 0 ? this.#pending.length : Math.max(1, firstAlone));
    this.#isSending = calls.length > 0;
    if (!this.#isSending) return;
    this.#client.query(
      new Batch({
        statements: calls.flatMap(({ statements }) => statements),
        prepared: this.#prepared,
        parserOf: type => this.#client.getTypeParser(type),
        onEnd: (failure, results) => {
          let end = 0;
          for (const { statements, resolve, reject } of calls) {
            end += statements.length;
            if (failure === undefined) resolve(results[end - 1] ?? NO_ROWS);
            else reject(failure);
          }
          this.#sendPending();
        },
      }),
    );
  }

  /** Hangs up at once. What was not answered is lost. */
  destroy(why: string, cause?: unknown): ConnectionLost {
    if (this.#brokenBy) return this.#brokenBy;
    const lost = new ConnectionLost(why, { cause });
    this.#brokenBy = lost;
    this.#socket.destroy();
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
