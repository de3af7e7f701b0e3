/**
 * Statements of `tables/`, which are written for PostgreSQL, as SQLite understands them:
 *
 *   :name                               ?1, the same number each time
 *   x::bigint, COLLATE "C"              left out: SQLite converts by the column and compares bytes
 *   = ANY (:list::text[])               IN, over a JSON array
 *   = ANY (ARRAY(SELECT …))             IN (SELECT …)
 *   unnest(:a::text[], …) AS t (a, …)   the rows of a JSON array, also WITH ORDINALITY
 *   CROSS JOIN LATERAL (SELECT * FROM t WHERE … OFFSET 0) AS u
 *                                       CROSS JOIN t AS u ON …, which SQLite also runs in this order. Likewise
 *                                       LEFT JOIN LATERAL (…) AS u ON true. ORDER BY and LIMIT before OFFSET 0 are left out:
 *                                       they only say that there are few
 *   OFFSET 0                            left out: it only keeps PostgreSQL from merging a subquery
 *   LIMIT ALL                           LIMIT -1
 *   nextval(pg_get_serial_sequence('t', 'id'))
 *                                       one more than the last id; OVERRIDING SYSTEM VALUE is left out
 *   INDEXED BY i, in a comment          INDEXED BY i, where SQLite would choose another index
 *   FOR UPDATE, SKIP LOCKED             left out: there is one writer
 *
 * Nothing is parsed: a string in a statement must not contain any of this. SQLite refuses what is left of PostgreSQL's own language
 * when the statement is prepared.
 */
import type { SQLInputValue } from 'node:sqlite';
import { type Item, PARAMETER, type Parameter, type Values } from '../tables/tables.ts';

export interface Rewritten {
  readonly text: string;
  readonly valuesOf: (values: Values) => SQLInputValue[];
}

const UNNEST = /\bunnest\(([^()]*)\)( WITH ORDINALITY)? AS (\w+) \(([^()]*)\)/gi;
const ANY_OF_LIST = /= ANY \(:(\w+(?:\.\w+)?)::\w+\[\]\)/gi;
const LATERAL =
  /\b(CROSS|LEFT) JOIN LATERAL \(\s*SELECT \* FROM (\w+)\s+WHERE ([\s\S]*?)(?:\s+ORDER BY \w+ LIMIT \d+)?\s+OFFSET 0\) AS (\w+)(?: ON true)?/gi;
const NEXT_ID = /nextval\(pg_get_serial_sequence\('(\w+)', 'id'\)\)/gi;
const LOCKS = /\s+FOR (?:NO KEY )?UPDATE(?: SKIP LOCKED)?\b/gi;

export function rewrite(given: string): Rewritten {
  /** The names of each numbered parameter. Lists of one unnest are one parameter, with their values side by side. */
  const parameters: string[][] = [];
  const place = (...names: string[]): string => {
    const known = parameters.findIndex(each => each.join() === names.join());
    return `?${known === -1 ? parameters.push(names) : known + 1}`;
  };
  const text = given
    .replaceAll(
      UNNEST,
      (_, lists: string, ordinality: string | undefined, alias: string, columns: string) => {
        const names = [...lists.matchAll(PARAMETER)].map(([, name = '']) => name);
        const picked = columns.split(', ').map((column, index) => {
          if (index === names.length && ordinality) return `key + 1 AS ${column}`;
          return `${names.length === 1 ? 'value' : `value ->> ${index}`} AS ${column}`;
        });
        return `(SELECT ${picked.join(', ')} FROM jsonb_each(${place(...names)})) AS ${alias}`;
      },
    )
    .replaceAll(ANY_OF_LIST, (_, name: string) => `IN (SELECT value FROM json_each(${place(name)}))`)
    .replaceAll('= ANY (ARRAY(', 'IN (SELECT * FROM (')
    .replaceAll(LATERAL, '$1 JOIN $2 AS $4 ON $3')
    .replaceAll(/\s+OFFSET 0\b/gi, '')
    .replaceAll(/\bLIMIT ALL\b/gi, 'LIMIT -1')
    .replaceAll(LOCKS, '')
    .replaceAll(NEXT_ID, "(SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = '$1')")
    .replaceAll(' OVERRIDING SYSTEM VALUE', '')
    .replaceAll(/\/\* (INDEXED BY \w+) \*\//g, '$1')
    .replaceAll(/::\w+/g, '')
    .replaceAll(/ COLLATE "C"/gi, '')
    .replaceAll(PARAMETER, (_, name: string) => place(name));
  return { text, valuesOf: values => parameters.map(names => bound(names, values)) };
}

function bound(names: readonly string[], values: Values): SQLInputValue {
  const [first = null, ...others] = names.map(name => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for :${name}`);
    return value;
  });
  if (!isList(first)) return typeof first === 'boolean' ? Number(first) : first;
  const lists = [first, ...others.filter(isList)];
  const rows = lists.length === 1 ? first : first.map((_, index) => lists.map(list => list[index]));
  return JSON.stringify(rows, jsonItem);
}

/** As single values are bound: whole numbers only, and text that is UTF-8. */
function jsonItem(_: string, item: unknown): unknown {
  if (typeof item === 'number' && !Number.isInteger(item))
    throw new RangeError(`not a whole number: ${item}`);
  return typeof item === 'string' ? item.toWellFormed() : item;
}

function isList(value: Parameter): value is readonly Item[] {
  return Array.isArray(value);
}
