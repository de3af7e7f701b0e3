/**
 * Statements that go to PostgreSQL in one packet and end with one Sync, so that they fail together.
 *
 * To pg this is a Submittable: the client calls `submit` with its wire connection, then a `handle…` method for each
 * message that arrives, as it does with pg-cursor.
 */
import type { Connection, FieldDef, Submittable } from 'pg';
import type { Value } from '../tables/tables.ts';
import { isSessionEnd } from './faults.ts';

export type Row = Readonly<Record<string, Value>>;
export type Rows = readonly Row[] & {
  /** Rows returned, or changed by a write that returns none. */
  readonly count: number;
};

export interface BatchStatement {
  readonly text: string;
  /** Prepared under this name; '' for once only. Without a name the text has no parameters and may be several statements. */
  readonly name: string | undefined;
  readonly values: (string | null)[];
}

type Parser = (value: string) => Value;
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly Parser[];
  /** A copy of it is filled faster than a row is built column by column. */
  readonly emptyRow: Row;
}
/** What is prepared on a connection, with the columns of its rows. */
export type Prepared = Map<string, Columns>;

const NO_COLUMNS: Columns = { names: [], parsers: [], emptyRow: {} };

export interface BatchOptions {
  readonly statements: readonly BatchStatement[];
  readonly prepared: Prepared;
  readonly parserOf: (type: number) => Parser;
  /** Called once, with the rows of the last statement of a text, or with why all failed. */
  readonly onEnd: (failure: unknown, results: readonly Rows[]) => void;
}

export class Batch implements Submittable {
  readonly #options: BatchOptions;
  readonly #results: Rows[] = [];
  #columns = NO_COLUMNS;
  #rows: Row[] = [];
  #failure: unknown;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  submit(connection: Connection): void {
    const { statements } = this.#options;
    connection.stream.cork();
    for (const statement of statements) {
      if (statement.name === undefined) connection.query(statement.text);
      else this.#write(connection, statement, statement.name);
    }
    if (statements[0]?.name !== undefined) connection.sync();
    connection.stream.uncork();
    this.#startNext();
  }

  #write(connection: Connection, { text, values }: BatchStatement, name: string): void {
    const isPrepared = this.#options.prepared.has(name);
    if (!isPrepared) {
      // It may have been prepared by a batch that failed after that.
      if (name !== '') connection.close({ type: 'S', name }, true);
      connection.parse({ name, text, types: [] }, true);
    }
    connection.bind({ statement: name, values }, true);
    if (!isPrepared) connection.describe({ type: 'P', name: '' }, true);
    connection.execute({}, true);
  }

  #startNext(): void {
    const name = this.#options.statements[this.#results.length]?.name;
    this.#columns = (name !== undefined && this.#options.prepared.get(name)) || NO_COLUMNS;
    this.#rows = [];
  }

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly Pick<FieldDef, 'name' | 'dataTypeID'>[];
  }): void {
    const names = fields.map(({ name }) => name);
    this.#columns = {
      names,
      parsers: fields.map(({ dataTypeID }) => this.#options.parserOf(dataTypeID)),
      emptyRow: Object.fromEntries(names.map(name => [name, null])),
    };
    this.#rows = [];
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, emptyRow } = this.#columns;
    const row: Record<string, Value> = { ...emptyRow };
    try {
      for (let index = 0; index < names.length; index++) {
        const [name, parse, value] = [names[index], parsers[index], fields[index]];
        if (value != null && name !== undefined && parse) row[name] = parse(value);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { statements, prepared } = this.#options;
    const rows = Object.assign(this.#rows, { count: Number(/\d+$/.exec(text)?.[0] ?? 0) });
    const name = statements[this.#results.length]?.name;
    if (name === undefined) {
      // A text of several statements has several results; the last one counts.
      this.#results[0] = rows;
      this.#columns = NO_COLUMNS;
      this.#rows = [];
      return;
    }
    if (name !== '') prepared.set(name, this.#columns);
    this.#results.push(rows);
    this.#startNext();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleReadyForQuery(): void {
    this.#options.onEnd(this.#failure, this.#results);
  }

  /** Ends after the server is ready again: then the client knows the state of the transaction. */
  handleError(error: unknown, connection: Connection): void {
    const end = () => this.#options.onEnd(error, []);
    if (isSessionEnd(error)) end();
    else connection.once('readyForQuery', () => process.nextTick(end));
  }
}
