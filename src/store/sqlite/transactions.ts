/**
 * Transactions of one connection, and what must be forgotten when one is rolled back.
 *
 * What must never happen: something is written on top of a transaction that failed, or while memory that mirrors the database
 * holds what was rolled back. So the next transaction first ends what the last one left, and fails if it cannot.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreFault } from '../store-fault.ts';
import { faultOf } from './faults.ts';
import { Statement } from './statement.ts';

/** A task of a transaction: its result, or why it was left out. */
export type Apart<T> = { readonly result: T } | { readonly error: unknown };

export class Transactions {
  readonly #db: DatabaseSync;
  readonly #begin: Statement;
  readonly #commit: StatementSync;
  readonly #rollback: Statement;
  readonly #savepoint: Statement;
  readonly #release: Statement;
  readonly #rollbackToSavepoint: Statement;
  readonly #listeners: (() => void)[] = [];
  /** Listeners that have not yet heard of the last rollback. */
  #mustForget = new Set<() => void>();
  #hasTroubleWriting = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = new Statement(db, 'BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = new Statement(db, 'ROLLBACK');
    this.#savepoint = new Statement(db, 'SAVEPOINT task');
    this.#release = new Statement(db, 'RELEASE task');
    this.#rollbackToSavepoint = new Statement(db, 'ROLLBACK TO task');
  }

  /** Whether the last transaction failed because of the disk or the file. */
  get hasTroubleWriting(): boolean {
    return this.#hasTroubleWriting;
  }

  /** Called when a transaction, or a task of it, is rolled back. */
  onRollback(listener: () => void): void {
    this.#listeners.push(listener);
  }

  run<T>(work: () => T): T {
    try {
      this.#cleanUp();
      this.#begin.run();
      const result = work();
      this.#commitNow();
      this.#hasTroubleWriting = false;
      return result;
    } catch (error) {
      this.#hasTroubleWriting = error instanceof StoreFault;
      this.#mustForget = new Set(this.#listeners);
      try {
        this.#cleanUp();
      } catch {
        // The first error is the cause. This one comes again with the next transaction, which cannot begin before it is gone.
        this.#hasTroubleWriting = true;
      }
      throw error;
    }
  }

  /** Runs a task of a transaction so that its error does not end the others. Throws what is not about the task. */
  apart<T>(task: () => T): Apart<T> {
    this.#savepoint.run();
    try {
      const result = task();
      this.#release.run();
      return { result };
    } catch (error) {
      if (error instanceof StoreFault || !this.#db.isTransaction) throw error;
      this.#rollbackToSavepoint.run();
      this.#release.run();
      this.#mustForget = new Set(this.#listeners);
      this.#forget();
      return { error };
    }
  }

  #cleanUp(): void {
    try {
      // A full disk can make SQLite roll back by itself.
      if (this.#db.isTransaction) this.#rollback.run();
    } finally {
      this.#forget();
    }
  }

  /** Every listener is called; one that fails is called again before the next transaction. */
  #forget(): void {
    const errors: unknown[] = [];
    for (const forget of this.#mustForget) {
      try {
        forget();
        this.#mustForget.delete(forget);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'memory is not as the database is');
  }

  #commitNow(): void {
    try {
      this.#commit.run();
    } catch (error) {
      throw faultOf(error, 'commit');
    }
  }
}
