/**
 * One SQLite file, written durably.
 *
 * Group commit: `write` queues a task, and what queued while the last commit ran shares the next transaction, as far as
 * write-queue.ts lets it. A single caller waits only for its own commit. Under load a transaction waits one more turn of the
 * event loop for further callers: that halves the number of commits. The commit runs on this thread: on a fast disk that is
 * cheaper than handing rows to another thread, on a slow one it is no worse (docs/decisions.md, `npm run bench:commit`).
 *
 * What must never happen: a promise of `write` resolves before its rows are on disk. WAL with synchronous=FULL gives
 * that, and nothing may lower it.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { readMigrations } from '../migrations.ts';
import { StoreFault } from '../store-fault.ts';
import type { Checkpointer } from './checkpointer.ts';
import { faultOf } from './faults.ts';
import { Statement } from './statement.ts';
import { type NextTask, nextOf, WriteQueue, type WriteTask } from './write-queue.ts';

export interface DatabaseOptions {
  readonly onProgress?: (text: string) => void;
  /** Whether another thread has a send for this one; without it there is none. */
  readonly isAskedFor?: () => boolean;
  readonly checkpointer?: Pick<Checkpointer, 'committed' | 'idle'> | undefined;
}

export type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

/** How long a write waits for another process, such as the CLI, to finish its own. */
const BUSY_TIMEOUT_MS = 5_000;
/** As many tasks in the last transaction mean that there is load. */
const TASKS_UNDER_LOAD = 8;
/** Pages of the log after which a commit writes it back: everything, or what a checkpointer has left. */
const SHORT_LOG = 4_000;
const LONG_LOG = 16_000;
/**
 * SQLite looks at the value of a bare `LIMIT ?` when it plans, so it plans anew for every call, which costs ten times what
 * the call does. It does not look into an expression.
 */
const BOUND_LIMIT = /\bLIMIT (\?\d*)/g;

export class Database {
  readonly #db: DatabaseSync;
  readonly #begin: Statement;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #onCommit: (tasks: number) => void;
  readonly #checkpointer: DatabaseOptions['checkpointer'];
  readonly #rollbackListeners: (() => void)[] = [];
  readonly #afterFirst: (() => void)[] = [];
  readonly #queue: WriteQueue;
  #scheduled = false;
  #lastBatch = 0;
  #hasTroubleWriting = false;

  constructor(file: string, onCommit: (tasks: number) => void, options: DatabaseOptions = {}) {
    const { onProgress = () => {}, isAskedFor } = options;
    this.#queue = new WriteQueue(isAskedFor);
    this.#db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA synchronous = FULL');
    // What is deleted or overwritten is not to be found in the file: it may be the text of a message. On from the first
    // page on, because a page that was ever split without it keeps copies of its rows. It costs nothing measurable.
    this.#db.exec('PRAGMA secure_delete = ON');
    // Small: a commit that split a page looks at every page in the cache (docs/performance.md), and the system has one, too.
    this.#db.exec('PRAGMA cache_size = -8000');
    this.#db.exec(`PRAGMA wal_autocheckpoint = ${options.checkpointer ? LONG_LOG : SHORT_LOG}`);
    this.#begin = new Statement(this.#db.prepare('BEGIN IMMEDIATE'));
    this.#commit = this.#db.prepare('COMMIT');
    this.#rollback = this.#db.prepare('ROLLBACK');
    this.#onCommit = onCommit;
    this.#checkpointer = options.checkpointer;
    this.#migrate(onProgress);
  }

  prepare(sql: string): Statement {
    return new Statement(this.#db.prepare(sql.replace(BOUND_LIMIT, 'LIMIT ($1 + 0)')));
  }

  /** Whether the last write failed because of the disk or the file. */
  get hasTroubleWriting(): boolean {
    return this.#hasTroubleWriting;
  }

  /**
   * Runs `task` in a transaction, alone or together with others; resolves when it is on disk. `rows`: about as many as it
   * writes, where that is not one or a few.
   */
  write<T>(task: () => T, rows = 1): Promise<T> {
    return this.#written(task, rows, false);
  }

  /** The same for what a client waits for: before everything that waits already. */
  writeFirst<T>(task: () => T): Promise<T> {
    return this.#written(task, 1, true);
  }

  /**
   * For those whose tasks of `writeFirst` leave rows to be written together: called in their transaction, before any other
   * task and before the commit.
   */
  afterFirst(listener: () => void): void {
    this.#afterFirst.push(listener);
  }

  /** For those who keep in memory what they wrote: when a transaction fails they must drop it. */
  onRollback(listener: () => void): void {
    this.#rollbackListeners.push(listener);
  }

  /**
   * Writes the log back into the database and empties it: until then it holds what was removed. False if another process
   * was in the way; nothing is waited for, because everything else would wait, too.
   */
  async truncateLog(): Promise<boolean> {
    this.#flush();
    await this.#checkpointer?.idle();
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      const row = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as Row;
      return row.busy === 0;
    } catch (error) {
      throw faultOf(error, 'statement');
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Writes the file anew without what was deleted, and empties the log. Only for who has the file alone. */
  async rewrite(): Promise<void> {
    this.#flush();
    try {
      this.#db.exec('VACUUM');
    } catch (error) {
      throw faultOf(error, 'statement');
    }
    if (!(await this.truncateLog()))
      throw new StoreFault('didNotHappen', 'another process reads the database');
  }

  close(): void {
    this.#flush();
    this.#db.close();
  }

  #written<T>(run: () => T, rows: number, isFirst: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.add({ run, isFirst, rows, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  #schedule(turns = this.#lastBatch < TASKS_UNDER_LOAD ? 1 : 2): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const commit = () => this.#commitNext();
    if (turns === 1) setImmediate(commit);
    else setImmediate(() => setImmediate(commit));
  }

  #commitNext(): void {
    this.#scheduled = false;
    if (this.#queue.isEmpty) return;
    this.#lastBatch = this.#commitTogether(this.#queue.transaction());
    // Not in the next turn: what follows from this transaction, such as answers to clients, would wait for that one, too.
    if (!this.#queue.isEmpty) this.#schedule(2);
  }

  #flush(): void {
    const tasks = this.#queue.takeAll();
    if (tasks.length > 0) this.#commitTogether(nextOf(tasks));
  }

  /**
   * Returns how many. One bad task must not fail the others: it is left out, and the others are tried again. In that second try
   * each writes its rows by itself, because nobody knows whose fault it was if they could not be written together.
   */
  #commitTogether(next: NextTask, isSecondTry = false): number {
    const tasks: WriteTask[] = [];
    let culprit: WriteTask | undefined;
    let results: unknown[];
    try {
      results = this.#inTransaction(() => {
        const all: unknown[] = [];
        for (let task = next(); task; task = next()) {
          tasks.push(task);
          if (!task.isFirst) this.#endFirst();
          culprit = task;
          all.push(task.run());
          if (isSecondTry) this.#endFirst();
          culprit = undefined;
        }
        this.#endFirst();
        return all;
      });
    } catch (error) {
      // Where none could even begin, all that wait would fail, one transaction after the other; of a commit that failed they
      // know nothing.
      const waiting = error instanceof StoreFault && tasks.length === 0 ? this.#queue.takeAll() : [];
      for (let task = next(); task; task = next()) tasks.push(task);
      if (error instanceof StoreFault) {
        // It is not about the tasks, and trying each alone would only take longer.
        for (const { reject } of [...tasks, ...waiting]) reject(error);
        return tasks.length;
      }
      culprit?.reject(error);
      const others = tasks.filter(task => task !== culprit);
      return others.length > 0 ? this.#commitTogether(nextOf(others), true) : 0;
    }
    this.#checkpointer?.committed();
    this.#onCommit(tasks.length);
    for (const [index, task] of tasks.entries()) task.resolve(results[index]);
    return tasks.length;
  }

  #endFirst(): void {
    for (const listener of this.#afterFirst) listener();
  }

  #inTransaction<T>(work: () => T): T {
    try {
      this.#begin.run();
      const result = work();
      this.#commitNow();
      this.#hasTroubleWriting = false;
      return result;
    } catch (error) {
      this.#hasTroubleWriting = error instanceof StoreFault;
      // A full disk can make SQLite roll back by itself.
      if (this.#db.isTransaction) this.#rollback.run();
      for (const forget of this.#rollbackListeners) forget();
      throw error;
    }
  }

  #commitNow(): void {
    try {
      this.#commit.run();
    } catch (error) {
      throw faultOf(error, 'commit');
    }
  }

  /** Each migration in a transaction of its own, with its number: after a crash the next start goes on from there. */
  #migrate(onProgress: (text: string) => void): void {
    const migrations = readMigrations(new URL('./migrations/', import.meta.url));
    const newest = migrations.at(-1)?.version ?? 0;
    if (this.#version() > newest) {
      throw new Error(
        `the database is at version ${this.#version()}, this program knows ${newest}: run a newer bongsu`,
      );
    }
    // A new file takes no time, and nobody waits for it.
    const isUpgrade = this.#version() > 0;
    for (const { version, name, sql } of migrations) {
      if (version <= this.#version()) continue;
      if (isUpgrade) onProgress(`migration ${name} begins`);
      this.#inTransaction(() => {
        // Of two starters the second waits for the first, and finds it done.
        if (version <= this.#version()) return;
        this.#db.exec(sql);
        this.#db.exec(`PRAGMA user_version = ${version}`);
      });
      if (isUpgrade) onProgress(`migration ${name} is done`);
    }
  }

  #version(): number {
    const row = this.#db.prepare('PRAGMA user_version').get() as Row;
    return Number(row.user_version);
  }
}
