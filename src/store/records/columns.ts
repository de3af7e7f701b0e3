/**
 * How an object of the domain is kept in a row, for both engines: for each member the name of its column, its type in
 * PostgreSQL, and how it is written and read. A description has a column for every member of its object, or it does not
 * compile. Statements, and the lists of columns and parameters in them, are made from descriptions once, at the start.
 */
import { NO_VAULT, type RowIdentity, type Vault } from '../../platform/vault.ts';

export type ColumnType = 'text' | 'integer' | 'smallint' | 'bigint';
export type Stored = string | number | null;
export type AnyRow = Readonly<Record<string, unknown>>;

export interface Column<Value> {
  readonly name: string;
  readonly type: ColumnType;
  /** `row` has, as they are stored, the columns that an encrypted value is bound to. */
  readonly write: (value: Value, row: AnyRow) => Stored;
  /** Of a value that is not NULL; `row` as for `write`. */
  readonly read: (stored: unknown, row: AnyRow) => Value;
  /** The names of those columns. */
  readonly boundTo?: readonly string[];
  /** What stands unencrypted in the place of a value: nothing, or that it was erased. */
  readonly empty?: string;
  /** The same column where there is a data key: see `sealed`, `hashed` and `keptIn`. */
  readonly in?: (vault: Sealing) => Column<Value>;
}

/** What columns need of a vault. */
export type Sealing = Pick<Vault, 'seal' | 'open' | 'hash'>;

export type ColumnsOf<T> = { readonly [Member in keyof T]-?: Column<T[Member]> };

// Most values are stored as they are. Writers and readers know these two, and spare the calls.
const asItIs = (value: unknown): Stored => (value ?? null) as Stored;
const asStored = (stored: unknown): never => stored as never;

export function text<Value extends string>(name: string): Column<Value> {
  return { name, type: 'text', write: asItIs, read: asStored };
}

function numeric(name: string, type: ColumnType): Column<number> {
  return { name, type, write: asItIs, read: asStored };
}

export const integer = (name: string): Column<number> => numeric(name, 'integer');
export const smallint = (name: string): Column<number> => numeric(name, 'smallint');
/** Times too: milliseconds since 1970. */
export const bigint = (name: string): Column<number> => numeric(name, 'bigint');

/** SQLite has no booleans. */
export function flag(name: string): Column<boolean> {
  return { name, type: 'smallint', write: value => (value ? 1 : 0), read: stored => stored === 1 };
}

export function json<Value>(name: string): Column<Value> {
  return {
    name,
    type: 'text',
    write: value => JSON.stringify(value),
    read: stored => JSON.parse(String(stored)) as Value,
  };
}

/** A value that may be missing is NULL. */
export function optional<Value>(column: Column<Value>): Column<Value | undefined> {
  const { in: inVault, ...rest } = column;
  const { write } = rest;
  return {
    ...rest,
    write: write === asItIs ? asItIs : (value, row) => (value === undefined ? null : write(value, row)),
    ...(inVault && { in: vault => optional(inVault(vault)) }),
  };
}

/**
 * A value with a number, a text or variables in it: encrypted where there is a data key. `of` names table and column, `boundTo`
 * the columns that identify the row: the value can be decrypted only beside the same values of these. They must not change while
 * it is there. `empty` is stored as it is.
 */
export function sealed<Value>(
  column: Column<Value>,
  of: string,
  boundTo: readonly string[],
  empty?: string,
): Column<Value> {
  return {
    ...column,
    in: vault => ({
      ...column,
      boundTo,
      ...(empty !== undefined && { empty }),
      write: (value, row) => {
        const stored = String(column.write(value, row));
        return stored === empty ? stored : vault.seal(stored, of, identityIn(row, boundTo));
      },
      read: (stored, row) => {
        const text = String(stored);
        return column.read(text === empty ? text : vault.open(text, of, identityIn(row, boundTo)), row);
      },
    }),
  };
}

/** Throws where a statement has left out a column: that is a mistake of ours. */
export function identityIn(row: AnyRow, boundTo: readonly string[]): RowIdentity {
  return boundTo.map(name => {
    const value = row[name];
    if (value === undefined) throw new Error(`the row has no ${name}, to which the value is bound`);
    return value as RowIdentity[number];
  });
}

/** A value that is looked for and never read: a keyed hash where there is a data key. */
export function hashed<Value extends string>(column: Column<Value>, of: string): Column<Value> {
  return { ...column, in: vault => ({ ...column, write: value => vault.hash(value, of) }) };
}

/** The columns as they are kept in a store with this vault, or without one. */
export function keptIn<T extends object>(vault: Sealing = NO_VAULT, columns: T): T {
  const list = Object.entries(columns).map(([member, column]: [string, Column<unknown>]) => [
    member,
    column.in?.(vault) ?? column,
  ]);
  return Object.fromEntries(list) as T;
}

type AnyColumns = Readonly<Record<string, Pick<Column<never>, 'name' | 'type' | 'write'>>>;

/** The columns of a description, in its order. Every list that is made of it has the same order. */
export function columnList(columns: AnyColumns): readonly Pick<Column<never>, 'name' | 'type'>[] {
  return Object.values(columns);
}

/** For `INSERT INTO t (…)` and `SELECT …`. */
export function columnNames(columns: AnyColumns): string {
  return columnList(columns)
    .map(({ name }) => name)
    .join(', ');
}

/** Writes one member of an object. The description has the columns that its value is bound to. */
export function memberWriter<T>(columns: ColumnsOf<T>, member: keyof T): (object: T) => Stored {
  const { write, boundTo = [] } = columns[member];
  if (boundTo.length === 0) return write === asItIs ? asItIsIn(member) : object => write(object[member], {});
  const bound = membersOf(columns).filter(each => boundTo.includes(columns[each].name));
  const writers = bound.map(each => ({ name: columns[each].name, write: memberWriter(columns, each) }));
  return object => {
    const row: Record<string, Stored> = {};
    for (const { name, write: writeBound } of writers) row[name] = writeBound(object);
    return write(object[member], row);
  };
}

function asItIsIn<T>(member: keyof T): (object: T) => Stored {
  return object => asItIs(object[member]);
}

/**
 * Writes the members of an object, in the order of the columns. The list is the same one each time, to be used before the
 * next call: a new one for each row was measurable when messages are accepted.
 */
export function writerOf<T>(columns: ColumnsOf<T>): (object: T) => readonly Stored[] {
  const writers = membersOf(columns).map(member => memberWriter(columns, member));
  const values: Stored[] = writers.map(() => null);
  return object => {
    let index = 0;
    for (const write of writers) values[index++] = write(object);
    return values;
  };
}

/**
 * Reads an object from a row that has its columns, and maybe others. Walking the columns takes a third of the time of an
 * object literal on the rows of node:sqlite (0.8 and 2.4 µs for 13 columns), and half a microsecond more on those of pg.
 */
export function readerOf<T>(
  columns: ColumnsOf<T>,
  addedByCaller: readonly PropertyKey[] = [],
): (row: AnyRow) => T {
  const list = membersOf(columns).map(member => {
    const { name, read } = columns[member];
    return { member, name, read: read === asStored ? undefined : read };
  });
  // A copy has room for all its members from the start; an object that grows leaves garbage behind.
  const members = [...membersOf(columns), ...addedByCaller];
  const empty = Object.fromEntries(members.map(member => [member, undefined])) as Partial<
    Record<keyof T, unknown>
  >;
  return row => {
    const object = { ...empty };
    for (const { member, name, read } of list) {
      const stored = row[name];
      if (stored === null) object[member] = undefined;
      else object[member] = read ? read(stored, row) : stored;
    }
    return object as T;
  };
}

/**
 * The same for rows of which some members only help: where one of these cannot be read, what is named in `otherwise` stands in
 * its place, and `report` is called.
 */
export function lenientReaderOf<T extends object>(
  columns: ColumnsOf<T>,
  otherwise: Partial<T>,
  report: (row: AnyRow, error: unknown) => void,
): (row: AnyRow) => T {
  const read = readerOf(columns);
  const replaceable = membersOf(columns).filter(member => member in otherwise);
  return row => {
    try {
      return read(row);
    } catch (error) {
      const broken = replaceable.filter(member => !isReadable(columns[member], row));
      const others = Object.fromEntries(broken.map(member => [columns[member].name, null]));
      const object = read({ ...row, ...others });
      report(row, error);
      return { ...object, ...Object.fromEntries(broken.map(member => [member, otherwise[member]])) };
    }
  };
}

function isReadable({ name, read }: Pick<Column<unknown>, 'name' | 'read'>, row: AnyRow): boolean {
  try {
    if (row[name] !== null) read(row[name], row);
    return true;
  } catch {
    return false;
  }
}

function membersOf<T>(columns: ColumnsOf<T>): (keyof T)[] {
  return Object.keys(columns) as (keyof T)[];
}
