/** Texts and free values of an RCS message, read before the limits of its format are checked. */
import { field, isStorable } from '../../request/field-kinds.ts';
import { type Field, isNotGiven, isObject } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';

/** A text without a limit of its own. */
export type TextKind = (code: ResultCode, description: string) => Field<string, false>;

/** For formats of the table: a string. */
export const exactText: TextKind = (code, description) =>
  field(code, { type: 'string', description }, (value, path) => readText(value, path, code));

/** For issued templates, whose values clients also write as numbers and booleans. */
export const anyText: TextKind = (code, description) =>
  field(code, { type: 'string', description }, (value, path) => readText(textOf(value), path, code));

/** Deeper than any carrier-standard object, and shallow enough to walk recursively and to store. */
const MAX_DEPTH = 16;

/** Longer than any registered key; problems repeat the key. */
const MAX_KEY_LENGTH = 64;

/** More than any layout has; carriers stop at bodies of 10 KB. */
const MAX_KEYS = 1000;

/**
 * The keys of an issued template or of an expert `body`: numbers and booleans become text, objects stay as they
 * are. `""` is kept, for a template's variable may be empty; `null` and `[]` mean "not given".
 */
export function readFreeKeys(
  keys: readonly (readonly [string, unknown])[],
  path: string,
): Record<string, unknown> | Problem {
  if (keys.length > MAX_KEYS) {
    return new Problem('A415', `"${path}" has more than ${MAX_KEYS} keys (was ${keys.length})`);
  }
  const given = keys.filter(([, value]) => value === '' || !isNotGiven(value));
  for (const [key, value] of given) {
    if (key.length > MAX_KEY_LENGTH || faultOf(key)) {
      return new Problem(
        'A415',
        `"${path}" has a key that is not a printable name of 1 to ${MAX_KEY_LENGTH} characters`,
      );
    }
    const fault = faultOf(value);
    if (fault) return new Problem('A415', `"${path}.${key}" ${fault}`);
  }
  return Object.fromEntries(given.map(([key, value]) => [key, textOf(value)]));
}

/** Why a JSON value cannot be stored; completes a sentence that begins with its name. */
export function faultOf(value: unknown, depth: number = MAX_DEPTH): string | undefined {
  if (depth === 0) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (typeof value === 'string') {
    return isStorable(value) ? undefined : 'holds a NUL or an unpaired surrogate, which no handset can show';
  }
  if (Array.isArray(value)) return firstFault(value, depth - 1);
  if (isObject(value)) return firstFault(Object.entries(value).flat(), depth - 1);
  return undefined;
}

function firstFault(values: readonly unknown[], depth: number): string | undefined {
  for (const value of values) {
    const fault = faultOf(value, depth);
    if (fault) return fault;
  }
  return undefined;
}

function readText(value: unknown, path: string, code: ResultCode): string | Problem {
  if (typeof value !== 'string') return new Problem('A011', `"${path}" must be a string`);
  const fault = faultOf(value);
  return fault ? new Problem(code, `"${path}" ${fault}`) : value;
}

function textOf(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
