/**
 * Encrypting again, the same for every engine: all tables are walked in the order of their keys, a few rows at a time. A row whose
 * values are stored as they would be today costs a look. It can be stopped and started again at any time.
 */
import type { DataKeyStore, Resealed, ResealPosition } from './port/data-key-store.ts';
import type { AnyRow } from './records/columns.ts';
import type { Records } from './records/records.ts';
import { isOutdated, type SealedTable } from './sealed-tables.ts';
import { recipientTermOf } from './search.ts';

/** Rows that are looked at together. */
const CHUNK = 500;
export const INDEX_TABLE = 'message_index';

/**
 * The columns of a row to replace, in the order of the table's. `old` is what they must still be. All at once: an encrypted value
 * may be bound to a hash beside it.
 */
export interface Replacement {
  readonly key: readonly (string | number)[];
  readonly old: readonly (string | null)[];
  readonly anew: readonly (string | null)[];
}

export interface ReplacedTerm {
  readonly msgKey: string;
  readonly old: string;
  /** Undefined if its message is gone. */
  readonly anew: string | undefined;
}

export type Key = readonly (string | number)[];

export interface ResealEngine {
  /** The key of the last of the next `count` rows, or of fewer; undefined if there is none. */
  edge(table: SealedTable, after: Key | undefined, count: number): Promise<Edge | undefined>;
  /** The rows after one key up to another that meet the condition. */
  rows(table: SealedTable, after: Key | undefined, to: Key, condition: string): Promise<readonly AnyRow[]>;
  replace(table: SealedTable, rows: readonly Replacement[]): Promise<void>;
  /** Terms of recipients after a term and key, with account, recipient and ref of their message, or without. */
  terms(after: Key | undefined, count: number): Promise<readonly AnyRow[]>;
  replaceTerms(terms: readonly ReplacedTerm[]): Promise<void>;
}

export interface Edge {
  readonly key: Key;
  readonly seen: number;
}

export function resealer(deps: {
  readonly engine: ResealEngine;
  readonly records: Records;
  readonly tables: readonly SealedTable[];
  readonly sealing: string;
}): DataKeyStore['reseal'] {
  const { engine, records, tables, sealing } = deps;
  const order = [...tables.map(({ table }) => table), INDEX_TABLE];

  function following(table: string): ResealPosition | undefined {
    const next = order[order.indexOf(table) + 1];
    return next === undefined ? undefined : { table: next, after: undefined };
  }

  async function resealRows(table: SealedTable, after: Key | undefined): Promise<Resealed> {
    const edge = await engine.edge(table, after, CHUNK);
    if (!edge) return { table: table.table, seen: 0, changed: 0, next: following(table.table) };
    const outdated = table.columns.map(column => `(${isOutdated(column, sealing)})`);
    const rows = await engine.rows(table, after, edge.key, outdated.join(' OR '));
    const replacements = records.unreadable.each(table.table, rows, row => replacementOf(table, row));
    if (replacements.length > 0) await engine.replace(table, replacements);
    const next = { table: table.table, after: edge.key };
    return { table: table.table, seen: edge.seen, changed: rows.length, next };
  }

  async function resealTerms(after: Key | undefined): Promise<Resealed> {
    const rows = await engine.terms(after, CHUNK);
    const last = rows.at(-1);
    if (!last) return { table: INDEX_TABLE, seen: 0, changed: 0, next: following(INDEX_TABLE) };
    const changed = rows.flatMap((row): ReplacedTerm[] => {
      const old = String(row.term);
      if (row.recipient === null) return [{ msgKey: String(row.msg_key), old, anew: undefined }];
      const anew = recipientTermOf(row, records);
      // Undefined: the recipient cannot be read.
      return anew === undefined || anew === old ? [] : [{ msgKey: String(row.msg_key), old, anew }];
    });
    if (changed.length > 0) await engine.replaceTerms(changed);
    const next = { table: INDEX_TABLE, after: [String(last.term), String(last.msg_key)] };
    return { table: INDEX_TABLE, seen: rows.length, changed: changed.length, next };
  }

  return async (position = { table: order[0] ?? INDEX_TABLE, after: undefined }) => {
    const table = tables.find(each => each.table === position.table);
    return table ? resealRows(table, position.after) : resealTerms(position.after);
  };
}

function replacementOf(table: SealedTable, row: AnyRow): Replacement {
  const now: Record<string, unknown> = { ...row };
  for (const { name, anew } of table.columns) if (row[name] !== null) now[name] = anew(row, now);
  const valuesIn = (values: AnyRow) =>
    table.columns.map(({ name }) => (values[name] === null ? null : String(values[name])));
  return { key: keyIn(table, row), old: valuesIn(row), anew: valuesIn(now) };
}

export function keyIn({ key }: SealedTable, row: AnyRow): (string | number)[] {
  return key.map(({ name }) => row[name] as string | number);
}
