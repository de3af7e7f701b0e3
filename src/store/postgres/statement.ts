/**
 * A statement on its way to PostgreSQL: constant text, values as text, a whole column of a batch as one array.
 *
 * Parameters of a text go by name (`:account`, `:record.msg_key`) and are numbered here; a text with one or two may have
 * them by number.
 */
import { createHash } from 'node:crypto';
import { type Item, PARAMETER, type Parameter, type Values } from '../tables/tables.ts';

export type StatementParameters = readonly Parameter[] | Values;

export interface Statement {
  readonly text: string;
  /** Under this name it is prepared, once for each connection. Without parameters nothing is prepared. */
  readonly name: string | undefined;
  readonly values: (string | null)[];
  /** Whether it may change anything. */
  readonly isWrite: boolean;
}

const WRITES = /\b(insert|update|delete|merge|truncate|create|drop|alter|notify|pg_notify)\b/i;
const ROW_LOCKS = /\bfor (no key )?update\b/gi;

const NEEDS_ESCAPE = /["\\]/;
const ESCAPED = /["\\]/g;

interface Known extends Pick<Statement, 'text' | 'name' | 'isWrite'> {
  /** Names of the parameters, by their numbers. */
  readonly parameters: readonly string[];
}

/** Texts are constant, so what is found out about one is remembered. */
export class Statements {
  readonly #known = new Map<string, Known>();

  of(given: string, parameters: StatementParameters = []): Statement {
    const isNumbered = isList(parameters);
    if (isNumbered && parameters.length === 0)
      return { text: given, name: undefined, values: [], isWrite: mayWrite(given) };
    let known = this.#known.get(given);
    if (!known) {
      known = knownOf(given);
      this.#known.set(given, known);
    }
    const { text, name, isWrite } = known;
    const values = isNumbered ? parameters.map(encode) : valuesOf(known, parameters);
    return { text, name, isWrite, values };
  }
}

function isList(parameters: StatementParameters): parameters is readonly Parameter[] {
  return Array.isArray(parameters);
}

function knownOf(given: string): Known {
  const parameters: string[] = [];
  const text = given.replaceAll(PARAMETER, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  return { text, name, isWrite: mayWrite(text), parameters };
}

function valuesOf({ text, parameters }: Known, given: Values): (string | null)[] {
  return parameters.map(parameter => {
    const value = given[parameter];
    if (value === undefined) throw new Error(`no value for :${parameter} in ${text}`);
    return encode(value);
  });
}

function mayWrite(text: string): boolean {
  return WRITES.test(text.replaceAll(ROW_LOCKS, ''));
}

function encode(parameter: Parameter): string | null {
  if (parameter === null) return null;
  return typeof parameter === 'object' ? encodeList(parameter) : String(parameter);
}

function encodeList(list: readonly Item[]): string {
  return arrayText(list, item => item);
}

/** An array of PostgreSQL as text, of one value of each of the items. */
export function arrayText<T>(items: readonly T[], pick: (item: T) => Item): string {
  let text = '{';
  let separator = '';
  for (const item of items) {
    const value = pick(item);
    text += separator;
    separator = ',';
    if (value === null) text += 'NULL';
    else if (typeof value === 'number') text += value;
    else text += `"${NEEDS_ESCAPE.test(value) ? value.replaceAll(ESCAPED, '\\$&') : value}"`;
  }
  return `${text}}`;
}
