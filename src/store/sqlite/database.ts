/**
 * One SQLite file, written durably.
 *
 * Group commit: `write` queues a task, and what queued while the last commit ran shares the next transaction, as far as
 * write-queue.ts lets it. A single caller waits only for its own commit. Under load a transaction waits one more turn of the
 * event loop for further callers: that halves the number of commits. The commit runs on this thread: on a fast disk that is
 * cheaper than handing rows to another thread, on a slow one it is no worse (docs/decisions.md, `npm run bench commit`).
 *
 * What must never happen: a promise of `write` resolves before its rows are on disk. WAL with synchronous=FULL gives
 * that, and nothing may lower it.
 */
import type { DatabaseSync } from 'node:sqlite';
import { readMigrations } from '../migrations.ts';
import { StoreFault } from '../store-fault.ts';
import type { Checkpointer } from './checkpointer.ts';
import { faultOf } from './faults.ts';
import { openFile } from './open-file.ts';
import { Statement } from './statement.ts';
import { type Apart, Transactions } from './transactions.ts';
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

/** What SQLite answers as a number. */
const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];

export class Database {
  readonly #db: DatabaseSync;
  readonly #transactions: Transactions;
  readonly #onCommit: (tasks: number) => void;
  readonly #checkpointer: DatabaseOptions['checkpointer'];
  readonly #afterFirst: (() => void)[] = [];
  readonly #queue: WriteQueue;
  #isClosed = false;
  #scheduled = false;
  #lastBatch = 0;

  constructor(file: string, onCommit: (tasks: number) => void, options: DatabaseOptions = {}) {
    const { onProgress = () => {}, isAskedFor } = options;
    this.#queue = new WriteQueue(isAskedFor);
    this.#db = openFile(file, { timeout: BUSY_TIMEOUT_MS }, db => db.exec('PRAGMA journal_mode = WAL'));
    this.#db.exec('PRAGMA synchronous = FULL');
    // What is deleted or overwritten is not to be found in the file: it may be the text of a message. On from the first
    // page on, because a page that was ever split without it keeps copies of its rows. It costs nothing measurable.
    this.#db.exec('PRAGMA secure_delete = ON');
    // Small: a commit that split a page looks at every page in the cache (docs/performance.md), and the system has one, too.
    this.#db.exec('PRAGMA cache_size = -8000');
    this.#db.exec(`PRAGMA wal_autocheckpoint = ${options.checkpointer ? LONG_LOG : SHORT_LOG}`);
    this.#transactions = new Transactions(this.#db);
    this.#onCommit = onCommit;
    this.#checkpointer = options.checkpointer;
    this.#migrate(onProgress);
  }

  prepare(sql: string): Statement {
    return new Statement(this.#db, sql.replace(BOUND_LIMIT, 'LIMIT ($1 + 0)'));
  }

  /** How a commit reaches the disk and what is deleted leaves it, asked of the open database. */
  durability(): Record<string, string> {
    const pragma = (name: string) => this.#db.prepare(`PRAGMA ${name}`).get()?.[name];
    return {
      journal_mode: String(pragma('journal_mode')),
      synchronous: SYNCHRONOUS[Number(pragma('synchronous'))] ?? '',
      secure_delete: pragma('secure_delete') === 1 ? 'on' : 'off',
    };
  }

  /** Whether the last write failed because of the disk or the file. */
  get hasTroubleWriting(): boolean {
    return this.#transactions.hasTroubleWriting;
  }

  /**
   * Runs `task` in a transaction, alone or together with others; resolves when it is on disk. `rows`: about as many as it
   * writes, where that is not one or a few.
   */
  write<T>(task: () => T, rows = 1): Promise<T> {
    return this.#written(task, rows, false);
  }

  /** The same for what a client waits for: it goes before everything else in the queue. */
  writeFirst<T>(task: () => T): Promise<T> {
    return this.#written(task, 1, true);
  }

  /**
   * For tasks of `writeFirst` that leave rows to be written together: called in their transaction, before any other task and
   * before the commit.
   */
  afterFirst(listener: () => void): void {
    this.#afterFirst.push(listener);
  }

  /** For memory that mirrors the database: called when a transaction, or a task of it, is rolled back. */
  onRollback(listener: () => void): void {
    this.#transactions.onRollback(listener);
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

  /** Writes the file anew without what was deleted, and empties the log. Only while no other process has the file open. */
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
    try {
      this.#flush();
    } finally {
      this.#isClosed = true;
      this.#db.close();
    }
  }

  #written<T>(run: () => T, rows: number, isFirst: boolean): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StoreFault('didNotHappen', 'the store is closed'));
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
    try {
      this.#lastBatch = this.#commitTogether(this.#queue.transaction());
    } finally {
      // Not in the next turn: what follows from this transaction, such as answers to clients, would wait for that one, too.
      if (!this.#queue.isEmpty) this.#schedule(2);
    }
  }

  #flush(): void {
    const tasks = this.#queue.takeAll();
    if (tasks.length > 0) this.#commitTogether(nextOf(tasks));
  }

  /** Returns how many. Every task that was taken is settled, whatever is thrown. */
  #commitTogether(next: NextTask): number {
    const tasks: WriteTask[] = [];
    let results: unknown[];
    try {
      results = this.#transactions.run(() => this.#runTogether(next, tasks));
    } catch (error) {
      // If no task could even begin, all that wait would fail, one transaction after the other. A commit that failed says
      // nothing about them.
      const waiting = error instanceof StoreFault && tasks.length === 0 ? this.#queue.takeAll() : [];
      for (let task = next(); task; task = next()) tasks.push(task);
      // A fault is not about the tasks: trying each by itself would only take longer.
      if (error instanceof StoreFault) rejectAll([...tasks, ...waiting], error);
      else this.#commitApart(tasks);
      return tasks.length;
    }
    for (const [index, task] of tasks.entries()) task.resolve(results[index]);
    this.#committed(tasks.length);
    return tasks.length;
  }

  #runTogether(next: NextTask, tasks: WriteTask[]): unknown[] {
    const results: unknown[] = [];
    for (let task = next(); task; task = next()) {
      tasks.push(task);
      if (!task.isFirst) this.#endFirst();
      results.push(task.run());
    }
    this.#endFirst();
    return results;
  }

  /**
   * The second try after an error that is about a task: each has a savepoint, so that a bad one is left out and the others are
   * written. Each writes its rows by itself, because rows that fail together do not tell whose fault it is. There is no third
   * try: an error outside the savepoints is about none of them.
   */
  #commitApart(tasks: readonly WriteTask[]): void {
    let ends: Apart<unknown>[];
    try {
      ends = this.#transactions.run(() => tasks.map(({ run }) => this.#runApart(run)));
    } catch (error) {
      rejectAll(tasks, error);
      return;
    }
    for (const [index, { resolve, reject }] of tasks.entries()) {
      const end = ends[index];
      if (end && 'result' in end) resolve(end.result);
      else reject(end?.error);
    }
    this.#committed(ends.filter(end => 'result' in end).length);
  }

  #runApart(run: () => unknown): Apart<unknown> {
    return this.#transactions.apart(() => {
      const result = run();
      this.#endFirst();
      return result;
    });
  }

  #committed(tasks: number): void {
    this.#checkpointer?.committed();
    this.#onCommit(tasks);
  }

  #endFirst(): void {
    for (const listener of this.#afterFirst) listener();
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
      this.#transactions.run(() => {
        // If two processes start at once, the second waits for the first and finds the migration done.
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

function rejectAll(tasks: readonly WriteTask[], error: unknown): void {
  for (const { reject } of tasks) reject(error);
}
