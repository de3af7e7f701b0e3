/**
 * One SQLite file, written durably.
 *
 * Group commit: `write` queues a task, and everything queued while the last commit ran shares the next transaction.
 * A lone caller waits for nothing but its own commit. In company, a transaction waits one more turn of the event loop
 * for whoever is about to arrive: that halves the number of commits under load. The commit runs on this thread: on a fast disk it is cheaper
 * than handing rows to another thread, on a slow one it is no worse (docs/decisions.md, `npm run bench:commit`).
 *
 * What must never happen: a promise of `write` resolves before its rows are on disk. WAL with synchronous=FULL gives
 * that, and nothing may lower it.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { readMigrations } from '../migrations.ts';

interface WriteTask {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

/** How long a write waits for another process, such as the CLI, to finish its own. */
const BUSY_TIMEOUT_MS = 5_000;
/** Tasks in the last transaction that make this a busy moment. */
const COMPANY = 8;

export class Database {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #onCommit: (tasks: number) => void;
  readonly #rollbackListeners: (() => void)[] = [];
  #tasks: WriteTask[] = [];
  #scheduled = false;
  #lastBatch = 0;

  constructor(file: string, onCommit: (tasks: number) => void) {
    this.#db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA synchronous = FULL');
    this.#db.exec('PRAGMA cache_size = -32000');
    this.#db.exec('PRAGMA wal_autocheckpoint = 4000');
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
    this.#rollback = this.#db.prepare('ROLLBACK');
    this.#onCommit = onCommit;
    this.#migrate();
  }

  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }

  /** Runs `task` in a transaction, alone or together with others; resolves when it is on disk. */
  write<T>(task: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#tasks.push({ run: task, resolve: resolve as (value: unknown) => void, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      if (this.#lastBatch < COMPANY) setImmediate(() => this.#flush());
      else setImmediate(() => setImmediate(() => this.#flush()));
    });
  }

  /** Whoever keeps in memory what it wrote must forget it when a transaction fails. */
  onRollback(listener: () => void): void {
    this.#rollbackListeners.push(listener);
  }

  close(): void {
    this.#flush();
    this.#db.close();
  }

  #flush(): void {
    this.#scheduled = false;
    const tasks = this.#tasks;
    this.#tasks = [];
    if (tasks.length === 0) return;
    let results: unknown[];
    try {
      results = this.#inTransaction(() => tasks.map(task => task.run()));
    } catch {
      // One bad task must not fail the others: each gets a transaction of its own, and its own error.
      for (const task of tasks) this.#runAlone(task);
      return;
    }
    this.#lastBatch = tasks.length;
    this.#onCommit(tasks.length);
    for (const [index, task] of tasks.entries()) task.resolve(results[index]);
  }

  #runAlone(task: WriteTask): void {
    try {
      const result = this.#inTransaction(task.run);
      this.#onCommit(1);
      task.resolve(result);
    } catch (error) {
      task.reject(error);
    }
  }

  #inTransaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      // A full disk can make SQLite roll back by itself.
      if (this.#db.isTransaction) this.#rollback.run();
      for (const forget of this.#rollbackListeners) forget();
      throw error;
    }
  }

  #migrate(): void {
    const migrations = readMigrations(new URL('./migrations/', import.meta.url));
    // Two starters: the second waits here for the first, then finds nothing left to do.
    this.#inTransaction(() => {
      const row = this.#db.prepare('PRAGMA user_version').get() as Row;
      const current = Number(row.user_version);
      const newest = migrations.at(-1)?.version ?? 0;
      if (current > newest) {
        throw new Error(
          `the database is at version ${current}, this program knows ${newest}: run a newer bongsu`,
        );
      }
      for (const migration of migrations) {
        if (migration.version <= current) continue;
        this.#db.exec(migration.sql);
        this.#db.exec(`PRAGMA user_version = ${migration.version}`);
      }
    });
  }
}
