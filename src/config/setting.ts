/** A setting: an environment variable, with the kind of its value, its default and its meaning. */
import { Secret } from '../platform/secret.ts';
import type { Kind } from './kinds.ts';

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

interface Declaration<T> {
  readonly env: string;
  readonly kind: Kind<T>;
  readonly fallback?: string;
  readonly meaning: string;
}

export function setting<T>({ env, kind, fallback, meaning }: Declaration<T>): Setting<T> {
  const { form, parse, fromText } = kind;
  const isSecret = false;
  return { env, form, fallback, meaning, isSecret, parse: text => parse(fromText ? fromText(text) : text) };
}

export function secret<T>(declaration: Omit<Declaration<T>, 'fallback'>): Setting<Secret<T>> {
  const { parse, ...rest } = setting(declaration);
  const parseSecret = (text: string) => {
    const value = parse(text);
    return value === undefined ? undefined : new Secret(value);
  };
  return { ...rest, isSecret: true, parse: parseSecret };
}
