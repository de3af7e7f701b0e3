/**
 * Keys of bongsu.yaml as data: one table for each kind of section reads it, tells every problem, and makes its
 * documentation. A key has a value, a default, or is told missing.
 */
import { type DurationRange, parseDurationMs, parseDurationRange } from '../platform/duration.ts';

export interface FileKey<T> {
  /** The expected form, for people. */
  readonly form: string;
  readonly meaning: string;
  /** `required`: it must be there. Otherwise the text of the default, for people; '' where there is none. */
  readonly absence: 'required' | { readonly shown: string };
  /** The value, or undefined after telling the problem. A key left out comes here as undefined only if it is optional. */
  readonly read: (value: unknown, path: string, problems: string[]) => T | undefined;
  /** Keys below this one. */
  readonly keys?: FileKeys;
}

export type FileKeys = Readonly<Record<string, FileKey<unknown>>>;

export type ValuesOf<Keys extends FileKeys> = {
  readonly [Name in keyof Keys]: Keys[Name] extends FileKey<infer T> ? T : never;
};

/** A kind of value, before it is decided what happens where it is left out. */
interface Kind<T> {
  readonly form: string;
  readonly meaning: string;
  readonly parse: (value: unknown, path: string, problems: string[]) => T | undefined;
  readonly keys?: FileKeys;
}

/** The key must be there. */
export function required<T>(kind: Kind<T>): FileKey<T> {
  return keyOf(kind, 'required', undefined);
}

/** Without the key there is no value. */
export function optional<T>(kind: Kind<T>): FileKey<T | undefined> {
  return keyOf(kind, { shown: '' }, undefined);
}

/** Without the key, this value; `shown` is how a person would write it. */
export function withDefault<T>(kind: Kind<T>, fallback: T, shown = String(fallback)): FileKey<T> {
  return keyOf(kind, { shown }, fallback);
}

function keyOf<T>(kind: Kind<T>, absence: FileKey<T>['absence'], fallback: T | undefined): FileKey<T> {
  const { form, meaning, keys } = kind;
  return {
    form,
    meaning,
    absence,
    ...(keys && { keys }),
    read(value, path, problems) {
      if (value !== undefined && value !== null) return kind.parse(value, path, problems);
      if (absence === 'required') problems.push(`${path}: missing; expected ${form}`);
      return fallback;
    },
  };
}

/** A kind whose wrong values are told by its form. The value itself is not shown: it may be a secret. */
function simple<T>(form: string, meaning: string, parse: (value: unknown) => T | undefined): Kind<T> {
  return {
    form,
    meaning,
    parse(value, path, problems) {
      const parsed = parse(value);
      if (parsed === undefined) problems.push(`${path}: expected ${form}`);
      return parsed;
    },
  };
}

export function text(form: string, meaning: string, pattern = /^.{1,10000}$/s): Kind<string> {
  return simple(form, meaning, value => {
    // YAML reads a bare 0123 or 821012345678 as a number; who writes a password of digits means the digits.
    const written = typeof value === 'number' ? String(value) : value;
    return typeof written === 'string' && pattern.test(written) ? written : undefined;
  });
}

export function oneOf<const T extends string>(values: readonly T[], meaning: string): Kind<T> {
  return simple(values.join(', ').replace(/, ([^,]*)$/, ' or $1'), meaning, value =>
    values.find(known => known === value),
  );
}

export function integer(min: number, max: number, meaning: string): Kind<number> {
  return simple(`a whole number from ${min} to ${max}`, meaning, value =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined,
  );
}

export function flag(meaning: string): Kind<boolean> {
  return simple('true or false', meaning, value => (typeof value === 'boolean' ? value : undefined));
}

/** Milliseconds. */
export function duration(meaning: string): Kind<number> {
  return simple('a duration such as 500ms, 60s or 10m', meaning, value =>
    typeof value === 'string' ? parseDurationMs(value) : undefined,
  );
}

export function latency(meaning: string): Kind<DurationRange> {
  return simple('"0", or a range such as 50-300ms', meaning, value =>
    typeof value === 'string' ? parseDurationRange(value) : undefined,
  );
}

export function listOf(form: string, meaning: string, pattern = /^.{1,1000}$/s): Kind<readonly string[]> {
  return simple(`a list of ${form}`, meaning, value => {
    const items = Array.isArray(value)
      ? value.map(item => (typeof item === 'number' ? String(item) : item))
      : [];
    const isList =
      Array.isArray(value) && items.every(item => typeof item === 'string' && pattern.test(item));
    return isList ? (items as string[]) : undefined;
  });
}

/** A list, whose brackets may be left out around a single item. */
export function listOrOne(form: string, meaning: string, pattern?: RegExp): Kind<readonly string[]> {
  const list = listOf(form, meaning, pattern);
  return {
    ...list,
    parse: (value, path, problems) => list.parse(Array.isArray(value) ? value : [value], path, problems),
  };
}

/** The text of a regular expression that compiles; as text, so that settings can be compared and written. */
export function regularExpression(meaning: string): Kind<string> {
  return simple('a regular expression', meaning, value => {
    try {
      if (typeof value !== 'string' || value.length > 1000) return undefined;
      new RegExp(value, 's');
      return value;
    } catch {
      return undefined;
    }
  });
}

export function mapOfText(meaning: string): Kind<Readonly<Record<string, string>>> {
  return simple('a map of texts', meaning, value => {
    if (!isMap(value)) return undefined;
    const entries = Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'object' ? undefined : String(item),
    ]);
    return entries.every(([, item]) => item !== undefined)
      ? (Object.fromEntries(entries) as Record<string, string>)
      : undefined;
  });
}

/** Any value of YAML, as it is: templates. */
export function anything(form: string, meaning: string): Kind<unknown> {
  return simple(form, meaning, value => value);
}

/** Keys below a key. */
export function section<Keys extends FileKeys>(keys: Keys, meaning: string): Kind<ValuesOf<Keys>> {
  return {
    form: 'a map',
    meaning,
    keys,
    parse: (value, path, problems) => readKeys(keys, value, path, problems),
  };
}

/** A list of sections. */
export function sections<Keys extends FileKeys>(
  keys: Keys,
  meaning: string,
): Kind<readonly ValuesOf<Keys>[]> {
  return {
    form: 'a list of maps',
    meaning,
    keys,
    parse(value, path, problems) {
      if (!Array.isArray(value)) {
        problems.push(`${path}: expected a list of maps`);
        return undefined;
      }
      const items: ValuesOf<Keys>[] = [];
      for (const [index, item] of value.entries()) {
        const read = readKeys(keys, item, `${path}[${index}]`, problems);
        if (read) items.push(read);
      }
      return items;
    },
  };
}

/** Sections under names of their own; `form` says what the names are. */
export function mapOf<Keys extends FileKeys>(
  keys: Keys,
  form: string,
  meaning: string,
): Kind<Readonly<Record<string, ValuesOf<Keys>>>> {
  return {
    form,
    meaning,
    keys,
    parse(value, path, problems) {
      if (!isMap(value)) {
        problems.push(`${path}: expected ${form}`);
        return undefined;
      }
      const entries = Object.entries(value).flatMap(([name, body]) => {
        const read = readKeys(keys, body ?? {}, `${path}.${name}`, problems);
        return read ? [[name, read] as const] : [];
      });
      return Object.fromEntries(entries);
    },
  };
}

/** Reads a map by its table; undefined after telling problems. Keys that are not in the table are problems too. */
export function readKeys<Keys extends FileKeys>(
  keys: Keys,
  value: unknown,
  path: string,
  problems: string[],
): ValuesOf<Keys> | undefined {
  if (!isMap(value)) {
    problems.push(`${path}: expected a map`);
    return undefined;
  }
  const before = problems.length;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(keys, name)) {
      problems.push(`${path}: "${name}" is not a key here; expected ${Object.keys(keys).join(', ')}`);
    }
  }
  const entries = Object.entries(keys).map(([name, key]) => [
    name,
    key.read(Object.hasOwn(value, name) ? value[name] : undefined, `${path}.${name}`, problems),
  ]);
  return problems.length === before ? (Object.fromEntries(entries) as ValuesOf<Keys>) : undefined;
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
