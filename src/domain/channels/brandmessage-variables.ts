/**
 * Values for the variables of a brandmessage template. Their keys belong to the template, so they are passed through
 * as they are, within bounds that keep a message storable.
 */
import { field, isStorable } from '../request/field-kinds.ts';
import { type Field, isObject } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';

export type FreeValue =
  | string
  | number
  | boolean
  | null
  | readonly FreeValue[]
  | { readonly [name: string]: FreeValue };

/** Our choice: a carousel of ten cards with nested objects stays well below both limits. */
export const MAX_DEPTH = 6;
export const MAX_VALUES = 500;
export const MAX_TEXT = 2000;

/** `object or list`: some clients send the one, some the other. */
export function variables(description: string, shape: 'object' | 'object or list'): Field<FreeValue, false> {
  const object = { type: 'object', additionalProperties: true, description };
  const schema = shape === 'object' ? object : { anyOf: [object, { type: 'array', items: object }] };
  return field('A300', schema, (value, path) => {
    const isList = Array.isArray(value) && shape === 'object or list';
    if (!isObject(value) && !isList) return new Problem('A011', `"${path}" must be a JSON ${shape}`);
    const fault = freeValueFault(value);
    return fault === undefined ? (value as FreeValue) : new Problem('A300', `"${path}" ${fault}`);
  });
}

/** Completes the sentence `"messageVariable" …`; undefined when the value may be passed on. */
function freeValueFault(root: unknown): string | undefined {
  // A stack of our own instead of recursion: the client decides how deep the value is.
  const unvisited: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  let count = 0;
  for (let next = unvisited.pop(); next !== undefined; next = unvisited.pop()) {
    const { value, depth } = next;
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      count += members.length;
      if (count > MAX_VALUES) return `holds more than ${MAX_VALUES} values`;
      if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
      for (const [name, member] of members) {
        if (!isFreeText(name)) return 'has a name that is too long or cannot be stored';
        unvisited.push({ value: member, depth: depth + 1 });
      }
    } else if (typeof value === 'string') {
      if (!isFreeText(value)) return `holds a text over ${MAX_TEXT} characters or one that cannot be stored`;
    } else if (value !== null && typeof value !== 'boolean' && !Number.isFinite(value)) {
      return 'holds something other than texts and numbers';
    }
  }
  return undefined;
}

function isFreeText(value: string): boolean {
  return value.length <= MAX_TEXT && isStorable(value);
}
