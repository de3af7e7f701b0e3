/**
 * Describing and reading request objects.
 *
 * A channel declares its fields as data; this file walks the declaration to read a request and to describe it in
 * the API document. Reading is tolerant where clients differ and strict where it matters:
 *  - `null`, `""` and `[]` mean "not given"; unknown members are ignored;
 *  - member names match in any letter case, and by the aliases that public clients are known to send;
 *  - a value of the wrong JSON type is A011, a missing or invalid one has the field's own code.
 * Nothing here throws, whatever the request holds.
 */
import { countCharacters, fitsCharacters } from './characters.ts';
import { measureEucKr } from './euc-kr.ts';
import { Problem } from './problem.ts';
import type { ResultCode } from './result-codes.ts';

/** The part of JSON Schema that the API document needs. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field<T, Required extends boolean = boolean> {
  readonly required: Required;
  /** Answered when the field is required and not given. */
  readonly missingCode: ResultCode;
  readonly aliases: readonly string[];
  readonly schema: JsonSchema;
  /** Reads a value that was given. `path` names the field in a refusal. */
  readonly read: (value: unknown, path: string) => T | Problem;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type RequiredNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Field<unknown, true> ? Name : never;
}[keyof F];

type ReadType<F> = F extends Field<infer T> ? T : never;

/** The object a set of fields reads: required ones present, the others left out when not given. */
export type ValuesOf<F extends Fields> = {
  readonly [Name in RequiredNames<F>]: ReadType<F[Name]>;
} & {
  readonly [Name in Exclude<keyof F, RequiredNames<F>>]?: ReadType<F[Name]>;
};

/** Reads `body` by its declared fields, in their order; the first problem found is the answer. */
export function readFields<F extends Fields>(fields: F, body: unknown, parent = ''): ValuesOf<F> | Problem {
  if (!isObject(body)) {
    return new Problem(
      'A011',
      parent ? `"${parent}" must be a JSON object` : 'The body must be a JSON object',
    );
  }
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    const field: Field<unknown> = fields[name] as Field<unknown>;
    const path = parent ? `${parent}.${name}` : name;
    const given = memberOf(body, name, field.aliases);
    if (isNotGiven(given)) {
      if (field.required) return new Problem(field.missingCode, `"${path}" is required`);
      continue;
    }
    const value = field.read(given, path);
    if (value instanceof Problem) return value;
    values[name] = value;
  }
  return values as ValuesOf<F>;
}

/** The JSON Schema of an object with these fields. */
export function schemaOfFields(fields: Fields): JsonSchema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, fields[name]?.schema])),
    required: names.filter(name => fields[name]?.required),
  };
}

function isNotGiven(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(
  body: Readonly<Record<string, unknown>>,
  name: string,
  aliases: readonly string[],
): unknown {
  if (Object.hasOwn(body, name)) return body[name];
  const wanted = name.toLowerCase();
  for (const member of Object.keys(body)) {
    if (member.length > 64) continue;
    const folded = member.toLowerCase();
    if (folded === wanted || aliases.some(alias => alias.toLowerCase() === folded)) return body[member];
  }
  return undefined;
}

/** Marks a field as one the request must hold. */
export function required<T>(field: Field<T, false>): Field<T, true> {
  return { ...field, required: true };
}

interface TextRule {
  /** Answered when the text is missing or unusable. */
  readonly code: ResultCode;
  /** Answered when the text is longer than `max`; the field's own code unless the contract has another. */
  readonly tooLong?: ResultCode;
  readonly max: number;
  /** `bytes` are EUC-KR bytes and admit only characters that EUC-KR has. */
  readonly unit: 'characters' | 'bytes';
  readonly description: string;
}

/** Text of bounded length. */
export function text(rule: TextRule): Field<string, false> {
  const { code, tooLong = code, max, unit } = rule;
  const measure = unit === 'bytes' ? bytesProblem : charactersProblem;
  return field(
    code,
    { type: 'string', maxLength: max, description: `${rule.description} At most ${max} ${unit}.` },
    (value, path) => {
      if (typeof value !== 'string') return new Problem('A011', `"${path}" must be a string`);
      if (!isStorable(value)) {
        return new Problem(code, `"${path}" holds a NUL or an unpaired surrogate, which no handset can show`);
      }
      return measure(value, path) ?? value;
    },
  );

  function bytesProblem(value: string, path: string): Problem | undefined {
    const measured = measureEucKr(value);
    if ('outside' in measured) {
      const point = measured.outside.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      return new Problem(
        code,
        `"${path}" holds "${measured.outside}" (U+${point}), which EUC-KR does not have`,
      );
    }
    if (measured.bytes <= max) return undefined;
    return new Problem(tooLong, `"${path}" is longer than ${max} bytes (was ${measured.bytes})`);
  }

  function charactersProblem(value: string, path: string): Problem | undefined {
    if (fitsCharacters(value, max)) return undefined;
    const count = countCharacters(value, max);
    return new Problem(tooLong, `"${path}" is longer than ${max} characters (was ${count})`);
  }
}

/** A value written as a string that a parser turns into its normal form, such as a telephone number. */
export function parsed<T>(rule: {
  readonly code: ResultCode;
  readonly parse: (value: string) => T | undefined;
  /** Completes the sentence `"to" must be …`. */
  readonly mustBe: string;
  readonly description: string;
}): Field<T, false> {
  return field(rule.code, { type: 'string', description: rule.description }, (value, path) => {
    if (typeof value !== 'string') return new Problem('A011', `"${path}" must be a string`);
    return rule.parse(value) ?? new Problem(rule.code, `"${path}" must be ${rule.mustBe}`);
  });
}

function field<T>(missingCode: ResultCode, schema: JsonSchema, read: Field<T>['read']): Field<T, false> {
  return { required: false, missingCode, aliases: [], schema, read };
}

/** Neither engine nor handset can hold a NUL, and an unpaired surrogate has no UTF-8. */
function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
