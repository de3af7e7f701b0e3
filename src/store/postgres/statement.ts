/** A statement on its way to PostgreSQL: constant text, values as text, a whole column of a batch as one array. */
import { createHash } from 'node:crypto';

export type Value = string | number | boolean | null;
/** A list stands for a column. */
export type Parameter = Value | readonly (string | number | null)[];

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

/** Texts are constant, so what is found out about one is remembered. */
export class Statements {
  readonly #known = new Map<string, Pick<Statement, 'name' | 'isWrite'>>();

  of(text: string, parameters: readonly Parameter[] = []): Statement {
    if (parameters.length === 0) return { text, name: undefined, values: [], isWrite: mayWrite(text) };
    let known = this.#known.get(text);
    if (!known) {
      const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
      known = { name, isWrite: mayWrite(text) };
      this.#known.set(text, known);
    }
    return { text, ...known, values: parameters.map(encode) };
  }
}

function mayWrite(text: string): boolean {
  return WRITES.test(text.replaceAll(ROW_LOCKS, ''));
}

function encode(parameter: Parameter): string | null {
  if (parameter === null) return null;
  return typeof parameter === 'object' ? encodeList(parameter) : String(parameter);
}

function encodeList(list: readonly (string | number | null)[]): string {
  let text = '{';
  for (const [index, item] of list.entries()) {
    if (index > 0) text += ',';
    if (item === null) text += 'NULL';
    else if (typeof item === 'number') text += item;
    else text += `"${/["\\]/.test(item) ? item.replaceAll(/["\\]/g, '\\$&') : item}"`;
  }
  return `${text}}`;
}
