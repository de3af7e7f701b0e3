/**
 * Rows with a value that cannot be read: it was damaged, or sealed with a key that this process does not have.
 *
 * Whatever reads several rows reads each by itself (`each`). A row that fails is set aside: it is kept out of the result, told
 * to the log and the metrics, and listed by `bongsu queue set-aside`; what comes with it goes on. Where the value is only shown
 * or only helps, something else stands in its place (`value`).
 */
import type { AnyRow } from './records/columns.ts';
import { UnreadableRecord } from './store-fault.ts';

/** Tables of which several rows are read together. */
export const READ_TABLES = [
  ...['message', 'request', 'carrier_ref', 'parked_receipt', 'idempotency', 'set_aside', 'webhook_delivery'],
  ...['inbound', 'inbound_part', 'opt_out', 'registry', 'form', 'reservation', 'reservation_list', 'erasure'],
  ...['account', 'audit'],
] as const;

export interface UnreadableRow {
  readonly table: string;
  /** The key of the row, which is no secret. */
  readonly key: string;
  /** Without anything of the value. */
  readonly reason: string;
}

/** Stands where a value is shown that cannot be read. */
export const UNREADABLE = '?';

/** Rows that were told already; beyond this they may be told again. */
const MOST_KNOWN = 10_000;

export type Keep = (row: UnreadableRow) => Promise<unknown>;

export class UnreadableRows {
  readonly #tell: (row: UnreadableRow) => void;
  readonly #known = new Set<string>();
  readonly #keeping = new Set<Promise<unknown>>();
  #keep: Keep | undefined;

  constructor(tell: (row: UnreadableRow) => void = () => {}) {
    this.#tell = tell;
  }

  /** How the engine stores that a row is set aside. */
  keepBy(keep: Keep): void {
    this.#keep = keep;
  }

  /** Resolves when those that were met so far are stored as set aside, or could not be. */
  async kept(): Promise<void> {
    await Promise.all(this.#keeping);
  }

  /** Reads each row by itself. `leave` is called for those that cannot be read. */
  each<Row extends AnyRow, T>(
    table: string,
    rows: readonly Row[],
    read: (row: Row) => T,
    leave: (row: Row) => void = () => {},
  ): T[] {
    const found: T[] = [];
    for (const row of rows) {
      try {
        found.push(read(row));
      } catch (error) {
        this.report(table, row, error);
        leave(row);
      }
    }
    return found;
  }

  /** The only row that was asked for. Throws an UnreadableRecord. */
  one<Row extends AnyRow, T>(table: string, row: Row, read: (row: Row) => T): T {
    try {
      return read(row);
    } catch (error) {
      this.report(table, row, error);
      throw new UnreadableRecord(`${table} ${keyIn(row)} cannot be read`);
    }
  }

  /** A value of a row, or what stands in its place. */
  value<T>(table: string, row: AnyRow, read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      this.report(table, row, error);
      return otherwise;
    }
  }

  report(table: string, row: AnyRow, error: unknown): void {
    const key = keyIn(row);
    const name = `${table} ${key}`;
    if (this.#known.has(name)) return;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(name);
    const unreadable = { table, key, reason: reasonOf(error) };
    this.#tell(unreadable);
    if (!this.#keep) return;
    // Told again, and stored, with the next look at it.
    const keeping = this.#keep(unreadable).catch(() => this.#known.delete(name));
    this.#keeping.add(keeping);
    void keeping.then(() => this.#keeping.delete(keeping));
  }
}

/** What is listed of it. It is listed once, whoever meets it. */
export function asideEntryOf({ table, key, reason }: UnreadableRow): {
  readonly name: string;
  readonly reason: string;
  readonly event: string;
} {
  return {
    name: `${table} ${key}`,
    reason: `a row of ${table} cannot be read: ${reason}`,
    event: JSON.stringify({ table, key }),
  };
}

const KEYS = ['msg_key', 'request_id', 'resv_key', 'id', 'form_id', 'key', 'ref'] as const;

function keyIn(row: AnyRow): string {
  const key = KEYS.map(name => row[name]).find(value => value !== undefined && value !== null);
  return String(key ?? '');
}

/** Parsers quote what they could not read, which may be the text of a message. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError)
    return 'it is damaged, or sealed with a data key that BONGSU_DATA_KEY does not have';
  return error instanceof Error ? error.message : 'it cannot be read';
}
