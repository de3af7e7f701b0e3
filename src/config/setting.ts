/** Kinds of settings: how the text of an environment variable becomes a value, and how a person would write it. */
import { type DurationRange, parseDurationMs, parseDurationRange } from '../platform/duration.ts';
import { Secret } from '../platform/secret.ts';

export interface Setting<T> {
  readonly env: string;
  /** The expected form, for people. */
  readonly form: string;
  /** The text used when the variable is not set; undefined means there is no value then. */
  readonly fallback: string | undefined;
  readonly meaning: string;
  /** Never shown in logs or messages. */
  readonly isSecret: boolean;
  /** A value, or undefined when the text does not have the form. */
  readonly parse: (text: string) => T | undefined;
}

type Described = Pick<Setting<unknown>, 'env' | 'meaning'>;

function setting<T>(
  described: Described,
  form: string,
  fallback: string | undefined,
  parse: (text: string) => T | undefined,
): Setting<T> {
  return { ...described, form, fallback, isSecret: false, parse };
}

export function choice<const T extends string>(
  described: Described,
  values: readonly T[],
  fallback: T,
): Setting<T> {
  return setting(described, values.join(' or '), fallback, text => values.find(value => value === text));
}

export function text(described: Described, form: string, fallback?: string): Setting<string> {
  return setting(described, form, fallback, value => value);
}

export function secret<T>(
  described: Described,
  form: string,
  parse: (text: string) => T | undefined,
): Setting<Secret<T>> {
  const parseSecret = (text: string) => {
    const value = parse(text);
    return value === undefined ? undefined : new Secret(value);
  };
  return { ...setting(described, form, undefined, parseSecret), isSecret: true };
}

export function wholeNumber(
  described: Described,
  min: number,
  max: number,
  fallback: string,
): Setting<number> {
  return setting(described, `whole number from ${min} to ${max}`, fallback, value => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });
}

export function duration(described: Described, fallback: string): Setting<number> {
  return setting(described, 'duration such as 90s, 10m, 24h or 3d', fallback, parseDurationMs);
}

export function latency(described: Described, fallback: string): Setting<DurationRange> {
  return setting(described, '0, or a range such as 50-300ms', fallback, parseDurationRange);
}

export function checked(
  described: Described,
  form: string,
  fallback: string | undefined,
  isValid: (text: string) => boolean,
): Setting<string> {
  return setting(described, form, fallback, value => (isValid(value) ? value : undefined));
}

export function list(
  described: Described,
  form: string,
  fallback: string,
  item: RegExp,
): Setting<readonly string[]> {
  return setting(described, form, fallback, value => {
    const items = value.split(',').map(part => part.trim());
    return items.every(part => item.test(part)) ? items : undefined;
  });
}
