/**
 * Tables that are rarely used are written once for both engines: one file of this folder each. Tables on the way of every message
 * have a file in each engine instead.
 *
 * A statement is written for PostgreSQL; SQLite runs a rewritten text (`sqlite/rewrite.ts` lists what it can rewrite). Parameters
 * go by name, and their types are written out: `:at::bigint`. A list is one parameter: `= ANY (:ids::bigint[])`, or `unnest`.
 *
 * `read` runs one statement. `write` runs a generator in one transaction. The generator yields its statements and gets their rows:
 *
 *     const [row] = yield* sql(FIND, { account, id });
 *
 * SQLite runs all of it at once, as one task of its write queue; PostgreSQL runs one statement after the other. A transaction that
 * was aborted is repeated with a new generator, so a generator changes nothing but rows.
 *
 * `account` says whose rows a call may reach: on PostgreSQL, row security hides all others. `undefined` reaches every account and is
 * for the gateway's own work and for operators. The statement has the account in its WHERE all the same.
 */
import type { AccountId } from '../../domain/ids.ts';
import { type AnyRow, type ColumnsOf, columnList, columnNames, memberWriter } from '../records/columns.ts';

export interface Tables {
  read(account: AccountId | undefined, text: string, values?: Values): Promise<Rows>;
  /** The same, after every write has ended that failed and may have happened. */
  readCertain(account: AccountId | undefined, text: string, values: Values): Promise<Rows>;
  /**
   * On PostgreSQL, calls of this node with the same `turn` run one after another: those that lock the same rows (busy.ts). `rows`
   * is about how many rows it writes, where that is not one or a few.
   */
  write<T>(
    account: AccountId | undefined,
    turn: string | undefined,
    work: () => Work<T>,
    rows?: number,
  ): Promise<T>;
}

export type Rows = readonly AnyRow[] & {
  /** Rows returned, or changed by a write that returns none. */
  readonly count: number;
};

export type Value = string | number | boolean | null;
export type Item = string | number | null;
/** A list is a whole column of a batch. */
export type Parameter = Value | readonly Item[];
export type Values = Readonly<Record<string, Parameter>>;

export interface Statement {
  readonly text: string;
  readonly values: Values;
  /** It only locks: SQLite, which has one writer, skips it. */
  readonly isLock?: true;
  /** It is run for each of these instead, and returns no rows. */
  readonly each?: readonly Values[];
}

export type Work<T> = Generator<Statement, T, Rows>;

/** `:name` and `:list.column`, but not a cast such as `::text`. */
export const PARAMETER = /(?<!:):([a-z]\w*(?:\.\w+)?)/gi;

export function* sql(text: string, values: Values = {}): Work<Rows> {
  return yield { text, values };
}

/** Runs a statement for each of these. On PostgreSQL they do not wait for one another. */
export function* sqlEach(text: string, each: readonly Values[]): Work<void> {
  yield { text, values: {}, each };
}

export function* lock(text: string, values: Values = {}): Work<void> {
  yield { text, values, isLock: true };
}

/** Until the transaction ends, no other gets the lock of this name and number. */
export function lockName(name: string, number: number): Work<void> {
  return lock(`SELECT pg_advisory_xact_lock(hashtextextended(:name, ${number}))`, { name });
}

/**
 * The rows of a list under an alias, with the names and types of their columns; `listsOf` makes the parameters. With
 * `position` the last column is the position in the list, from 1.
 */
export function unnest<T>(alias: string, columns: ColumnsOf<T>, position?: 'position'): string {
  const lists = columnList(columns).map(({ name, type }) => `:${alias}.${name}::${type}[]`);
  const names = columnNames(columns);
  return position === undefined
    ? `unnest(${lists.join(', ')}) AS ${alias} (${names})`
    : `unnest(${lists.join(', ')}) WITH ORDINALITY AS ${alias} (${names}, ${position})`;
}

export function listsOf<T>(alias: string, columns: ColumnsOf<T>, objects: readonly NoInfer<T>[]): Values {
  const members = Object.keys(columns) as (keyof T)[];
  return Object.fromEntries(
    members.map(member => [`${alias}.${columns[member].name}`, objects.map(memberWriter(columns, member))]),
  );
}

/**
 * Inserts one object, with an id of its own if it has one; `valuesIn` makes the parameters. For rows that may be long: to SQLite
 * lists go as JSON, which takes longer.
 */
export function insertOneOf<T>(
  table: string,
  columns: ColumnsOf<T>,
  constants: Readonly<Record<string, number>> = {},
): string {
  const names = [...columnList(columns).map(({ name }) => name), ...Object.keys(constants)];
  const values = columnList(columns).map(({ name, type }) => `:${name}::${type}`);
  return `
    INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
    VALUES (${[...values, ...Object.values(constants)].join(', ')})`;
}

export function valuesIn<T>(columns: ColumnsOf<T>, object: NoInfer<T>): Values {
  const members = Object.keys(columns) as (keyof T)[];
  return Object.fromEntries(
    members.map(member => [columns[member].name, memberWriter(columns, member)(object)]),
  );
}

/** Inserts objects in their order; `addedOf` makes the parameters. */
export function insertOf<T>(table: string, columns: ColumnsOf<T>): string {
  const names = columnNames(columns);
  return `
    INSERT INTO ${table} (${names}) SELECT ${names} FROM ${unnest('added', columns, 'position')} ORDER BY position`;
}

export function addedOf<T>(columns: ColumnsOf<T>, objects: readonly NoInfer<T>[]): Values {
  return listsOf('added', columns, objects);
}

export type KeyWalk = 'index' | 'rollups' | 'texts';

/** For walks over keys that other nodes are storing (postgres/key-walks.ts). An engine for one process has none. */
export interface KeyWalks {
  /** Must be committed before the transaction begins that walks. */
  promise(walk: KeyWalk, upTo: string): Promise<void>;
  /** The key below which all that is stored can be seen, or is noted. The statements that walk come after it. */
  boundOf(walk: KeyWalk, upTo: string): Work<string>;
}
