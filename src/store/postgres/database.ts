/**
 * The connections to PostgreSQL.
 *
 * Statements are constant text and are prepared once for each connection; values travel as parameters only, a whole
 * column of a batch as one array. Queries of a transaction that do not wait for one another are pipelined.
 *
 * What must never happen: a promise of a write resolves before its rows are on disk. synchronous_commit is set on
 * every connection, and an address that turns it off is refused.
 */
import postgres from 'postgres';

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;
export type Rows = readonly Row[] & {
  /** Rows returned, or changed by a write that returns none. */
  readonly count: number;
};
/** A list stands for a column; lists of booleans are not understood by the driver. */
export type Parameter = Value | readonly (string | number | null)[];

export interface Queryable {
  query(text: string, parameters?: readonly Parameter[]): Promise<Rows>;
}

const CONNECTIONS = 8;
const CONNECT_TIMEOUT_S = 10;
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_S = 2;
const ATTEMPTS = 5;

export class Database implements Queryable {
  readonly #sql: ReturnType<typeof connect>;

  constructor(url: string) {
    this.#sql = connect(url);
  }

  query(text: string, parameters: readonly Parameter[] = []): Promise<Rows> {
    return run(this.#sql, text, parameters);
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    // Wrapped, because the driver would unpack an array.
    const { result } = await this.#sql.begin(async sql => ({
      result: await work({ query: (text, parameters = []) => run(sql, text, parameters) }),
    }));
    return result;
  }

  /** Does `work` again when PostgreSQL gave it up for the sake of another transaction. */
  async retrying<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const isConflict = isSqlState(error, SERIALIZATION_FAILURE, DEADLOCK);
        if (!isConflict || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Calls `onMessage` for every message, and `onListening` each time a connection has begun to listen. */
  async listen(
    channel: string,
    onMessage: (message: string) => void,
    onListening: () => void,
  ): Promise<void> {
    await this.#sql.listen(channel, onMessage, onListening);
  }

  async assertDurable(): Promise<void> {
    const [row] = await this.query("SELECT current_setting('synchronous_commit') AS setting");
    if (row?.setting === 'off')
      throw new Error('synchronous_commit is off: an accepted message could be lost');
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: CLOSE_TIMEOUT_S });
  }
}

function connect(url: string) {
  return postgres(url, {
    max: CONNECTIONS,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => {},
    connection: {
      application_name: 'bongsu',
      synchronous_commit: 'on',
      default_transaction_isolation: 'read committed',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    },
    // Times and counts are far below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  });
}

function run(
  sql: Pick<ReturnType<typeof connect>, 'unsafe'>,
  text: string,
  parameters: readonly Parameter[],
): Promise<Rows> {
  // "unsafe" is the driver's word for text that is no template. Executed at once, so that queries are pipelined.
  return sql.unsafe<Row[]>(text, [...parameters], { prepare: true }).execute();
}

const SERIALIZATION_FAILURE = '40001';
export const DEADLOCK = '40P01';
export const CHECK_VIOLATION = '23514';
export const LOCK_NOT_AVAILABLE = '55P03';

export function isSqlState(error: unknown, ...states: readonly string[]): boolean {
  return error instanceof postgres.PostgresError && states.includes(error.code);
}

/** Classes of SQLSTATE that tell of the server or the connection, not of the statement. */
const SERVER_TROUBLE = ['08', '53', '57', '58', 'XX'];

/** Whether an error may be the fault of one item of a batch. */
export function isAboutTheData(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return !SERVER_TROUBLE.includes(error.code.slice(0, 2));
  // The driver's own errors, such as CONNECTION_CLOSED, and the system's, such as ECONNREFUSED, carry an errno.
  return !(error instanceof Error && 'errno' in error);
}
