/**
 * Kinds of values: the form, for people, and the reader. Environment variables (setting.ts) and keys of
 * bongsu.yaml (file-key.ts) are both declared with these.
 */

import {
  type DurationRange,
  type DurationText,
  durationMs,
  parseDurationMs,
  parseDurationRange,
} from '../platform/duration.ts';
import { isNetwork } from '../platform/trusted-proxies.ts';

export interface Kind<T> {
  /** Completes the sentence "expected …". */
  readonly form: string;
  /** The value, or undefined when what is given does not have the form. */
  readonly parse: (given: unknown) => T | undefined;
  /** What YAML would have read where an environment variable has this text; as it is without this. */
  readonly fromText?: (text: string) => unknown;
  /** True for a refused value that is certainly no secret, so that the problem can show it. */
  readonly isShown?: (refused: unknown) => boolean;
}

const ANY_TEXT = /^.{1,10000}$/s;

export function text(form: string, isValid: RegExp | ((text: string) => boolean) = ANY_TEXT): Kind<string> {
  const fits = isValid instanceof RegExp ? (value: string) => isValid.test(value) : isValid;
  return {
    form,
    parse(given) {
      const value = textOf(given);
      return value !== undefined && fits(value) ? value : undefined;
    },
  };
}

/** A text that is parsed into another value. */
export function parsed<T>(form: string, parse: (text: string) => T | undefined): Kind<T> {
  return {
    form,
    parse(given) {
      const value = textOf(given);
      return value === undefined ? undefined : parse(value);
    },
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Kind<T> {
  const form = values.join(', ').replace(/, ([^,]*)$/, ' or $1');
  return { form, parse: given => values.find(value => value === given) };
}

export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    form: `a whole number from ${min} to ${max}`,
    parse: given =>
      typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max
        ? given
        : undefined,
    fromText: value => (/^\d+$/.test(value) ? Number(value) : value),
  };
}

export const flag: Kind<boolean> = {
  form: 'true or false',
  parse: given => (typeof given === 'boolean' ? given : undefined),
};

/**
 * Milliseconds, within a range. Node's timers hold 24 days: what becomes a timer has at most a day, and only what is added to or
 * taken from a date may have more. 10 years keep every date within what keys and databases hold.
 */
export function duration(min: DurationText, max: DurationText): Kind<number> {
  const minMs = durationMs(min);
  const maxMs = durationMs(max);
  const kind = parsed(`a duration from ${min} to ${max}`, text => {
    const ms = parseDurationMs(text);
    return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
  });
  return {
    ...kind,
    isShown: refused => typeof refused === 'string' && parseDurationMs(refused) !== undefined,
  };
}

const SIZE_UNITS = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** Bytes. */
export const size: Kind<number> = parsed('0, or a size such as 500MB or 10GB', value => {
  const [, digits, unit] = /^(\d{1,6})(kB|MB|GB|TB)$/.exec(value) ?? [];
  if (digits === undefined) return value === '0' ? 0 : undefined;
  return Number(digits) * SIZE_UNITS[unit as keyof typeof SIZE_UNITS];
});

export const durationRange: Kind<DurationRange> = parsed(
  '0, or a range such as 50-300ms, up to 999999ms',
  parseDurationRange,
);

/** In an environment variable the items are separated by commas. */
export function listOf(items: string, pattern = /^.{1,1000}$/s): Kind<readonly string[]> {
  return {
    form: `a list of ${items}`,
    parse(given) {
      if (!Array.isArray(given)) return undefined;
      const values = given.flatMap(item => textOf(item) ?? []);
      return values.length === given.length && values.every(value => pattern.test(value))
        ? values
        : undefined;
    },
    fromText: value => value.split(',').map(item => item.trim()),
  };
}

export const networks: Kind<readonly string[]> = {
  ...listOf('addresses and networks such as 10.0.0.0/8, separated by commas'),
  parse(given) {
    const values = listOf('networks').parse(given);
    return values?.every(isNetwork) ? values : undefined;
  },
};

/** A list, whose brackets may be left out around a single item. */
export function listOrOne(items: string, pattern?: RegExp): Kind<readonly string[]> {
  const list = listOf(items, pattern);
  return { ...list, parse: given => list.parse(Array.isArray(given) ? given : [given]) };
}

/** The text of a regular expression that compiles; as text, so that settings can be compared and written. */
export const regularExpression: Kind<string> = {
  form: 'a regular expression',
  parse(given) {
    try {
      if (typeof given !== 'string' || given.length > 1000) return undefined;
      new RegExp(given, 's');
      return given;
    } catch {
      return undefined;
    }
  },
};

export const mapOfText: Kind<Readonly<Record<string, string>>> = {
  form: 'a map of texts',
  parse(given) {
    if (!isMap(given)) return undefined;
    const isFlat = Object.values(given).every(item => typeof item !== 'object');
    if (!isFlat) return undefined;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [name, String(item)]));
  },
};

/** Any value of YAML, as it is: templates. */
export function anything(form: string): Kind<unknown> {
  return { form, parse: given => given };
}

export function isMap(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** YAML reads a bare 0123 or 821012345678 as a number; who writes a password of digits means the digits. */
function textOf(given: unknown): string | undefined {
  const value = typeof given === 'number' ? String(given) : given;
  return typeof value === 'string' ? value : undefined;
}
