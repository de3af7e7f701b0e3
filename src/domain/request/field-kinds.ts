/** The kinds of fields that requests are made of. See fields.ts for how they are read. */
import { countSaid, fitsCharacters, HOPELESS_FACTOR } from '../text/characters.ts';
import { measureEucKr } from '../text/euc-kr.ts';
import { fixedPart, holdsPlaceholders } from '../text/substitution.ts';
import {
  type Field,
  type Fields,
  isNotGiven,
  type JsonSchema,
  type Reading,
  readFields,
  schemaOfFields,
  type ValuesOf,
} from './fields.ts';
import { Problem } from './problem.ts';
import type { ResultCode } from './result-codes.ts';

interface TextRule {
  /** Answered when the text is missing or unusable. */
  readonly code: ResultCode;
  /** Answered when the text is longer than `max`; the field's own code unless the contract has another. */
  readonly tooLong?: ResultCode;
  readonly max: number;
  /** `bytes` are EUC-KR bytes and admit only characters that EUC-KR has. */
  readonly unit: 'characters' | 'bytes';
  readonly description: string;
  /** The same for all recipients of a flow: the rest of the message is read by it, or it is looked up once. */
  readonly isFixed?: true;
}

/** Text of bounded length. */
export function text(rule: TextRule): Field<string, false> {
  const { code, tooLong = code, max, unit, isFixed } = rule;
  const measure = unit === 'bytes' ? bytesProblem : charactersProblem;
  const bounded = field<string>(
    code,
    // JSON Schema counts code points; it has no word for bytes, so the description names them.
    { type: 'string', ...(unit === 'characters' && { maxLength: max }), description: describe() },
    (value, path, reading) => {
      if (typeof value !== 'string') return new Problem('A011', `"${path}" must be a string`);
      if (!isStorable(value)) {
        return new Problem(code, `"${path}" holds a NUL or an unpaired surrogate, which no handset can show`);
      }
      const isVariable = isFixed && isUnfilled(value, reading) && holdsPlaceholders(value);
      if (isVariable) return new Problem(code, `"${path}" cannot hold a placeholder`);
      return measure(value, path, reading) ?? value;
    },
  );
  return { ...bounded, measure: { unit, max, tooLong } };

  function describe(): string {
    return `${rule.description} At most ${max} ${unit}.`;
  }

  function bytesProblem(given: string, path: string, reading: Reading): Problem | undefined {
    const { value, without } = measured(given, reading);
    if (value.length > max * HOPELESS_FACTOR) {
      return new Problem(
        tooLong,
        `"${path}" is longer than ${max} bytes${without} (was at least ${value.length})`,
      );
    }
    const length = measureEucKr(value);
    if ('outside' in length) {
      const point = length.outside.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      return new Problem(
        code,
        `"${path}" holds "${length.outside}" (U+${point}), which EUC-KR does not have`,
      );
    }
    if (length.bytes <= max) return undefined;
    return new Problem(tooLong, `"${path}" is longer than ${max} bytes${without} (was ${length.bytes})`);
  }

  function charactersProblem(given: string, path: string, reading: Reading): Problem | undefined {
    const { value, without } = measured(given, reading);
    if (fitsCharacters(value, max)) return undefined;
    return new Problem(
      tooLong,
      `"${path}" is longer than ${max} characters${without} (was ${countSaid(max, value)})`,
    );
  }
}

/** What is measured of a text: before the words of a recipient are put in, the part that is the same for all. */
export function measured(
  text: string,
  reading: Reading,
): { readonly value: string; readonly without: string } {
  const value = isUnfilled(text, reading) ? fixedPart(text) : text;
  return { value, without: value === text ? '' : ' without its placeholders' };
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

/** A string; a number is read as its digits. */
export function orNumber(base: Field<string, false>): Field<string, false> {
  return {
    ...base,
    read: (given, path, reading) =>
      base.read(typeof given === 'number' ? String(given) : given, path, reading),
  };
}

/** One of a few words. A number is read as its digits. */
export function word<const T extends string>(rule: {
  readonly code: ResultCode;
  readonly values: readonly T[];
  readonly description: string;
}): Field<T, false> {
  const { code, values, description } = rule;
  return field(code, { type: 'string', enum: values, description }, (value, path) => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return new Problem('A011', `"${path}" must be a string`);
    }
    const found = values.find(each => each === String(value));
    return found ?? new Problem(code, `"${path}" must be ${listOfWords(values)}`);
  });
}

/** A whole number in a range. */
export function wholeNumber(rule: {
  readonly code: ResultCode;
  readonly min: number;
  readonly max: number;
  readonly description: string;
  /** Otherwise a string of digits is read as one. */
  readonly isNumber?: true;
}): Field<number, false> {
  const { code, min, max, description, isNumber } = rule;
  const schema = { type: 'integer', minimum: min, maximum: max, description };
  return field(code, schema, (value, path) => {
    const isDigits = !isNumber && typeof value === 'string' && /^\d{1,15}$/.test(value);
    const number = isDigits ? Number(value) : value;
    if (typeof number !== 'number') return new Problem('A011', `"${path}" must be a whole number`);
    const isInRange = Number.isInteger(number) && number >= min && number <= max;
    return isInRange ? number : new Problem(code, `"${path}" must be a whole number from ${min} to ${max}`);
  });
}

/** Yes or no. */
export function flag(description: string): Field<boolean, false> {
  return field('A300', { type: 'boolean', description }, (value, path) =>
    typeof value === 'boolean' ? value : new Problem('A011', `"${path}" must be true or false`),
  );
}

/** A nested object with fields of its own. */
export function object<F extends Fields>(rule: {
  readonly code: ResultCode;
  readonly fields: F;
  readonly description: string;
}): Field<ValuesOf<F>, false> {
  const { code, fields, description } = rule;
  const schema = { ...schemaOfFields(fields), description };
  const read: Field<ValuesOf<F>>['read'] = (value, path, reading) => readFields(fields, value, reading, path);
  return { ...field(code, schema, read), parts: { members: fields } };
}

/** A list whose entries are read by `item`. */
export function list<T>(rule: {
  readonly code: ResultCode;
  readonly item: Field<T>;
  readonly min?: number;
  readonly max: number;
  /** Answered when there are more; the field's own code unless the contract has another. */
  readonly tooMany?: ResultCode;
  readonly description: string;
}): Field<readonly T[], false> {
  const { code, item, min = 0, max, tooMany = code, description } = rule;
  const schema = {
    type: 'array',
    items: item.schema,
    ...(min > 0 && { minItems: min }),
    maxItems: max,
    description,
  };
  const read: Field<readonly T[]>['read'] = (value, path, reading) => {
    if (!Array.isArray(value)) return new Problem('A011', `"${path}" must be a list`);
    if (value.length > max) {
      return new Problem(tooMany, `"${path}" has more than ${max} entries (was ${value.length})`);
    }
    if (value.length < min) {
      return new Problem(code, `"${path}" has fewer than ${min} entries (was ${value.length})`);
    }
    const items: T[] = [];
    for (const [index, each] of value.entries()) {
      const itemPath = `${path}[${index}]`;
      if (isNotGiven(each)) return new Problem(item.missingCode, `"${itemPath}" is required`);
      const entry = item.read(each, itemPath, reading);
      if (entry instanceof Problem) return entry;
      items.push(entry);
    }
    return items;
  };
  return { ...field(code, schema, read), parts: { item } };
}

/** A list, or a single entry in place of a list of one. */
export function listOrOne<T>(many: Field<readonly T[], false>): Field<readonly T[], false> {
  return {
    ...many,
    schema: { anyOf: [many.schema, (many.schema as { items: JsonSchema }).items] },
    read: (value, path, reading) => many.read(Array.isArray(value) ? value : [value], path, reading),
  };
}

export function field<T>(
  missingCode: ResultCode,
  schema: JsonSchema,
  read: Field<T>['read'],
): Field<T, false> {
  return { required: false, missingCode, aliases: [], schema, read };
}

export function holdsPlaceholder(value: string): boolean {
  return value.includes('#{');
}

/** Whether a text can be checked only after its placeholders are filled in. */
export function isUnfilled(value: string, reading: Reading): boolean {
  return reading === 'template' && holdsPlaceholder(value);
}

function listOfWords(values: readonly string[]): string {
  const quoted = values.map(value => `"${value}"`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** Neither database nor handset can store a NUL, and an unpaired surrogate cannot be written in UTF-8. */
export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
