import type {
  DatabaseSync,
  SQLInputValue,
  SQLOutputValue,
  StatementResultingChanges,
  StatementSync,
} from 'node:sqlite';
import { faultOf } from './faults.ts';

/**
 * A statement, prepared at its first use: a start needs few of them. Its errors say whether the disk or the file is the
 * cause. It takes whole numbers only, like PostgreSQL, so that a time with a fraction fails on the engine that most tests run
 * on.
 */
export class Statement {
  readonly #db: DatabaseSync;
  readonly #sql: string;
  #prepared: StatementSync | undefined;

  constructor(db: DatabaseSync, sql: string) {
    this.#db = db;
    this.#sql = sql;
  }

  get returnsRows(): boolean {
    return this.#statement.columns().length > 0;
  }

  run(...values: SQLInputValue[]): StatementResultingChanges {
    return this.runList(values);
  }

  /** The same with the values as a list, which is not copied. */
  runList(values: readonly SQLInputValue[]): StatementResultingChanges {
    assertWhole(values);
    try {
      return this.#statement.run(...values);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
  }

  get(...values: SQLInputValue[]): ReturnType<StatementSync['get']> {
    assertWhole(values);
    try {
      return this.#statement.get(...values);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
  }

  /** Rows as lists of values, in the order of the columns: of many small numbers half the time of `all`. */
  arrays(...values: SQLInputValue[]): SQLOutputValue[][] {
    const statement = this.#statement;
    statement.setReturnArrays(true);
    try {
      return this.all(...values) as unknown as SQLOutputValue[][];
    } finally {
      statement.setReturnArrays(false);
    }
  }

  all(...values: SQLInputValue[]): ReturnType<StatementSync['all']> {
    assertWhole(values);
    try {
      return this.#statement.all(...values);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
  }

  get #statement(): StatementSync {
    if (this.#prepared) return this.#prepared;
    try {
      this.#prepared = this.#db.prepare(this.#sql);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
    return this.#prepared;
  }
}

function assertWhole(values: readonly SQLInputValue[]): void {
  for (const value of values) {
    if (typeof value === 'number' && !Number.isInteger(value))
      throw new RangeError(`not a whole number: ${value}`);
  }
}
