/**
 * Keys of bongsu.yaml as data: one table for each kind of section reads it, names every problem, and makes its
 * documentation. A key has a value, a default, or is reported missing.
 */
import { isMap, type Kind } from './kinds.ts';

export interface FileKey<T> {
  /** The expected form, for people. */
  readonly form: string;
  readonly meaning: string;
  /** `required`: it must be there. Otherwise the text of the default, for people; '' where there is none. */
  readonly absence: 'required' | { readonly shown: string };
  /** The value, or undefined after naming the problem. A key left out comes here as undefined. */
  readonly read: (given: unknown, path: string, problems: string[]) => T | undefined;
  /** Keys below this one. */
  readonly keys?: FileKeys;
}

export type FileKeys = Readonly<Record<string, FileKey<unknown>>>;

export type ValuesOf<Keys extends FileKeys> = {
  readonly [Name in keyof Keys]: Keys[Name] extends FileKey<infer T> ? T : never;
};

/** A kind whose values have keys of their own, and name their problems by their own paths. */
interface NestedKind<T> {
  readonly form: string;
  readonly keys: FileKeys;
  readonly read: (given: unknown, path: string, problems: string[]) => T | undefined;
}

type FileKind<T> = Kind<T> | NestedKind<T>;

/** The key must be there. */
export function required<T>(kind: FileKind<T>, meaning: string): FileKey<T> {
  return keyOf(kind, meaning, 'required', undefined);
}

/** Without the key there is no value. */
export function optional<T>(kind: FileKind<T>, meaning: string): FileKey<T | undefined> {
  return keyOf(kind, meaning, { shown: '' }, undefined);
}

/** Without the key, this value; `shown` is how a person would write it. */
export function withDefault<T>(
  kind: FileKind<T>,
  fallback: T,
  meaning: string,
  shown = String(fallback),
): FileKey<T> {
  return keyOf(kind, meaning, { shown }, fallback);
}

function keyOf<T>(
  kind: FileKind<T>,
  meaning: string,
  absence: FileKey<T>['absence'],
  fallback: T | undefined,
): FileKey<T> {
  const { form } = kind;
  return {
    form,
    meaning,
    absence,
    ...('keys' in kind && { keys: kind.keys }),
    read(given, path, problems) {
      if (given === undefined || given === null) {
        if (absence === 'required') problems.push(`${path}: missing; expected ${form}`);
        return fallback;
      }
      if ('read' in kind) return kind.read(given, path, problems);
      const value = kind.parse(given);
      if (value === undefined) {
        // Any other text may be a secret.
        const shown = kind.isShown?.(given) ? ` (was "${given}")` : '';
        problems.push(`${path}: expected ${form}${shown}`);
      }
      return value;
    },
  };
}

/** Keys below a key. */
export function section<Keys extends FileKeys>(keys: Keys): NestedKind<ValuesOf<Keys>> {
  return {
    form: 'a map',
    keys,
    read: (given, path, problems) => readKeys(keys, given, path, problems),
  };
}

/** A list of sections. */
export function sections<Keys extends FileKeys>(keys: Keys): NestedKind<readonly ValuesOf<Keys>[]> {
  const form = 'a list of maps';
  return {
    form,
    keys,
    read(given, path, problems) {
      if (!Array.isArray(given)) {
        problems.push(`${path}: expected ${form}`);
        return undefined;
      }
      return given.flatMap((item: unknown, index) => {
        const values = readKeys(keys, item, `${path}[${index}]`, problems);
        return values ? [values] : [];
      });
    },
  };
}

/** Sections under names of their own; `form` says what the names are. */
export function mapOf<Keys extends FileKeys>(
  keys: Keys,
  form: string,
): NestedKind<Readonly<Record<string, ValuesOf<Keys>>>> {
  return {
    form,
    keys,
    read(given, path, problems) {
      if (!isMap(given)) {
        problems.push(`${path}: expected ${form}`);
        return undefined;
      }
      const entries = Object.entries(given).flatMap(([name, body]) => {
        const values = readKeys(keys, body ?? {}, `${path}.${name}`, problems);
        return values ? [[name, values] as const] : [];
      });
      return Object.fromEntries(entries);
    },
  };
}

/** Reads a map by its table; undefined after naming problems. Keys that are not in the table are problems too. */
export function readKeys<Keys extends FileKeys>(
  keys: Keys,
  given: unknown,
  path: string,
  problems: string[],
): ValuesOf<Keys> | undefined {
  if (!isMap(given)) {
    problems.push(`${path}: expected a map`);
    return undefined;
  }
  const before = problems.length;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(keys, name)) {
      problems.push(`${path}: "${name}" is not a key here; expected ${Object.keys(keys).join(', ')}`);
    }
  }
  const entries = Object.entries(keys).map(([name, key]) => [
    name,
    key.read(Object.hasOwn(given, name) ? given[name] : undefined, `${path}.${name}`, problems),
  ]);
  return problems.length === before ? (Object.fromEntries(entries) as ValuesOf<Keys>) : undefined;
}
