/** JSON pointers (RFC 6901): the place of a value in a provider's answer. */

export interface Pointer {
  /** The value there, undefined where there is none. */
  find(document: unknown): unknown;
  /** The value there as text: strings, numbers and flags; undefined for anything else and for empty text. */
  text(document: unknown): string | undefined;
}

/** undefined when the text is no pointer. The empty text points at the whole document. */
export function parsePointer(text: string): Pointer | undefined {
  if (text !== '' && !text.startsWith('/')) return undefined;
  if (/~(?![01])/.test(text)) return undefined;
  const steps = text
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const find = (document: unknown) => steps.reduce(memberOf, document);
  return { find, text: document => textOf(find(document)) };
}

/** A member of an object or a list; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Scalars as text; undefined for the rest, and for empty text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
