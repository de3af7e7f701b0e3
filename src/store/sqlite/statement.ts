import type { SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import { faultOf } from './faults.ts';

/** A prepared statement whose errors say whether the disk or the file is the cause. */
export class Statement {
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
  }

  run(...values: SQLInputValue[]): StatementResultingChanges {
    try {
      return this.#statement.run(...values);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
  }

  get(...values: SQLInputValue[]): ReturnType<StatementSync['get']> {
    try {
      return this.#statement.get(...values);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
  }

  all(...values: SQLInputValue[]): ReturnType<StatementSync['all']> {
    try {
      return this.#statement.all(...values);
    } catch (error) {
      throw faultOf(error, 'statement');
    }
  }
}
