/**
 * Describing and reading request objects.
 *
 * A channel declares its fields as data; this file walks the declaration to read a request and to describe it in
 * the API document. Reading is tolerant where clients differ and strict where it matters:
 *  - `null`, `""` and `[]` mean "not given"; unknown members are ignored;
 *  - member names match in any letter case, and by the aliases that public clients are known to send;
 *  - a value of the wrong JSON type is A011, a missing or invalid one has the field's own code.
 * A flow with placeholders is read twice: once as a template, where a text that holds `#{key}` is not measured, and
 * once for each recipient with the values put in. Nothing here throws, whatever the request holds.
 */
import { Problem } from './problem.ts';
import type { ResultCode } from './result-codes.ts';

/** The part of JSON Schema that the API document needs. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of a field that is declared only to be refused: nothing fits it, and the document leaves it out. */
export const BARRED: JsonSchema = { not: {} };

/** `template`: texts may hold placeholders, which are measured later. `final`: what is read is what is sent. */
export type Reading = 'template' | 'final';

export interface Field<T, Required extends boolean = boolean> {
  readonly required: Required;
  /** Answered when the field is required and not given. */
  readonly missingCode: ResultCode;
  readonly aliases: readonly string[];
  readonly schema: JsonSchema;
  /** An empty list is a list. */
  readonly takesEmpty?: true;
  /** What the document shows where it is a parameter. */
  readonly example?: string;
  /** How long a text may be, and what a longer one is answered with; `bytes` are EUC-KR bytes. */
  readonly measure?: {
    readonly unit: 'characters' | 'bytes';
    readonly max: number;
    readonly tooLong: ResultCode;
  };
  /** What an object or a list is made of, where that is declared. */
  readonly parts?: { readonly members: Fields } | { readonly item: Field<unknown> };
  /** Reads a value that was given. `path` names the field in a problem. */
  readonly read: (value: unknown, path: string, reading: Reading) => T | Problem;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type RequiredNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Field<unknown, true> ? Name : never;
}[keyof F];

type ReadType<F> = F extends Field<infer T> ? T : never;

/** The object that a set of fields reads: required ones are present, the others absent when not given. */
export type ValuesOf<F extends Fields> = {
  readonly [Name in RequiredNames<F>]: ReadType<F[Name]>;
} & {
  readonly [Name in Exclude<keyof F, RequiredNames<F>>]?: ReadType<F[Name]>;
};

/** Reads `body` by its declared fields, in their order; the first problem found is the answer. */
export function readFields<F extends Fields>(
  fields: F,
  body: unknown,
  reading: Reading = 'final',
  parent = '',
): ValuesOf<F> | Problem {
  if (!isObject(body)) {
    const what = parent ? `"${parent}"` : 'The body';
    return new Problem('A011', `${what} must be a JSON object`);
  }
  const members = new Members(body);
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    const field: Field<unknown> = fields[name] as Field<unknown>;
    const path = parent ? `${parent}.${name}` : name;
    const given = members.find(name, field.aliases);
    if (isNotGiven(given) && !(field.takesEmpty && Array.isArray(given))) {
      if (field.required) return new Problem(field.missingCode, `"${path}" is required`);
      continue;
    }
    const value = field.read(given, path, reading);
    if (value instanceof Problem) return value;
    values[name] = value;
  }
  return values as ValuesOf<F>;
}

/** The JSON Schema of an object with these fields. */
export function schemaOfFields(fields: Fields): JsonSchema {
  const names = Object.keys(fields).filter(name => fields[name]?.schema !== BARRED);
  const requiredNames = names.filter(name => fields[name]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, fields[name]?.schema])),
    ...(requiredNames.length > 0 && { required: requiredNames }),
  };
}

export function isNotGiven(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The members of an object by name or alias, in any letter case. However many names are looked for, the members are walked
 * once: a body may hold thousands that nobody knows.
 */
export class Members {
  readonly #body: Readonly<Record<string, unknown>>;
  #names: readonly string[] | undefined;
  /** The names in lower case, at the same places. */
  #folded: string[] = [];
  /** Places by name in lower case; only for objects of many members, since a short list is faster without. */
  #places: Map<string, number> | undefined;

  constructor(body: Readonly<Record<string, unknown>>) {
    this.#body = body;
  }

  /** Of several spellings the exact name counts, and then the first. */
  find(name: string, aliases: readonly string[] = []): unknown {
    if (Object.hasOwn(this.#body, name)) return this.#body[name];
    const names = this.#names ?? this.#list();
    let first = this.#placeOf(name.toLowerCase());
    for (const alias of aliases) {
      const place = this.#placeOf(alias.toLowerCase());
      if (place >= 0 && (first < 0 || place < first)) first = place;
    }
    const member = names[first];
    return member === undefined ? undefined : this.#body[member];
  }

  #list(): readonly string[] {
    const names = Object.keys(this.#body);
    this.#names = names;
    this.#folded = names.map(name => (name.length > LONGEST_NAME ? '' : name.toLowerCase()));
    if (names.length > FEW_MEMBERS) {
      const places = new Map<string, number>();
      // From the end, so that the first of equal names stays.
      for (let place = names.length - 1; place >= 0; place--) places.set(this.#folded[place] ?? '', place);
      this.#places = places;
    }
    return names;
  }

  #placeOf(folded: string): number {
    return this.#places ? (this.#places.get(folded) ?? -1) : this.#folded.indexOf(folded);
  }
}

const FEW_MEMBERS = 32;

/** One member by its name or an alias; see `Members`. */
export function memberOf(
  body: Readonly<Record<string, unknown>>,
  name: string,
  aliases: readonly string[] = [],
): unknown {
  return new Members(body).find(name, aliases);
}

const LONGEST_NAME = 64;

/** Marks a field as one the request must hold. */
export function required<T>(optional: Field<T, false>): Field<T, true> {
  return { ...optional, required: true };
}

/** Adds spellings under which public clients are known to send the field. */
export function alsoNamed<T, R extends boolean>(named: Field<T, R>, ...aliases: string[]): Field<T, R> {
  return { ...named, aliases };
}
