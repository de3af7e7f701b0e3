/**
 * Templates of requests: texts and structures with `{{placeholders}}`.
 *
 * A string that is one placeholder and nothing else takes the value with its type, a list included; within a longer
 * text the value is written as text. JSON is built as a structure and written once, never put together from texts.
 * `{{name?}}` without a value takes its member away; `{{name}}` without one is null, or nothing within a text.
 */
import { memberOf, textOf } from './pointer.ts';

/** Values by the name of their placeholder; a dotted name that is not among them is a path into one of them. */
export type TemplateValues = Readonly<Record<string, unknown>>;

/** A template that was checked; undefined means that its member is left out. */
export type Template<T> = (values: TemplateValues) => T | undefined;

const PLACEHOLDER = /\{\{\s*([A-Za-z][\w.-]*)(\?)?\s*\}\}/g;
const WHOLE = /^\{\{\s*([A-Za-z][\w.-]*)(\?)?\s*\}\}$/;

export interface TemplateScope {
  /** What a template may use; `message.*` means any path into the message. */
  readonly names: readonly string[];
  readonly problems: string[];
}

/** A template of text. `encode` is applied to the values, not to the text around them. */
export function textTemplate(
  source: string,
  path: string,
  scope: TemplateScope,
  encode: (text: string) => string = text => text,
): Template<string> {
  const used = placeholdersOf(source);
  checkNames(used, source, path, scope);
  if (used.length === 0) return () => source;
  return values => {
    if (used.some(({ name, isOptional }) => isOptional && isEmpty(lookUp(values, name)))) return undefined;
    return source.replace(PLACEHOLDER, (_, name: string) => encode(writtenOut(lookUp(values, name))));
  };
}

/** A template of any structure of YAML. */
export function structureTemplate(source: unknown, path: string, scope: TemplateScope): Template<unknown> {
  if (typeof source === 'string') {
    const whole = WHOLE.exec(source);
    if (!whole) return textTemplate(source, path, scope);
    const [, name = '', mark] = whole;
    checkNames([{ name, isOptional: mark === '?' }], source, path, scope);
    return values => {
      const value = lookUp(values, name);
      return mark === '?' && isEmpty(value) ? undefined : (value ?? null);
    };
  }
  if (Array.isArray(source)) {
    const items = source.map((item, index) => structureTemplate(item, `${path}[${index}]`, scope));
    return values => items.map(item => item(values)).filter(item => item !== undefined);
  }
  if (typeof source === 'object' && source !== null) {
    const members = Object.entries(source).map(
      ([name, item]) => [name, structureTemplate(item, `${path}.${name}`, scope)] as const,
    );
    return values => Object.fromEntries(rendered(members, values));
  }
  return () => source;
}

/** A template of a flat map of texts: headers, queries, forms. */
export function mapTemplate(
  source: Readonly<Record<string, string>>,
  path: string,
  scope: TemplateScope,
): (values: TemplateValues) => readonly (readonly [string, string])[] {
  const members = Object.entries(source).map(
    ([name, item]) => [name, textTemplate(item, `${path}.${name}`, scope)] as const,
  );
  return values => rendered(members, values);
}

/** The members that have something to say. */
function rendered<T>(
  members: readonly (readonly [string, Template<T>])[],
  values: TemplateValues,
): (readonly [string, T])[] {
  return members.flatMap(([name, item]) => {
    const value = item(values);
    return value === undefined ? [] : [[name, value] as const];
  });
}

export function isPlaceholderIn(source: unknown, name: string): boolean {
  if (typeof source === 'string') return placeholdersOf(source).some(used => used.name === name);
  if (typeof source !== 'object' || source === null) return false;
  return Object.values(source).some(item => isPlaceholderIn(item, name));
}

interface Placeholder {
  readonly name: string;
  readonly isOptional: boolean;
}

function placeholdersOf(source: string): Placeholder[] {
  return [...source.matchAll(PLACEHOLDER)].map(([, name = '', mark]) => ({ name, isOptional: mark === '?' }));
}

function checkNames(
  used: readonly Placeholder[],
  source: string,
  path: string,
  { names, problems }: TemplateScope,
): void {
  if (/\{\{|\}\}/.test(source.replace(PLACEHOLDER, ''))) {
    problems.push(`${path}: has braces that are not a placeholder; expected {{name}} or {{name?}}`);
  }
  for (const { name } of used) {
    if (names.includes(name) || names.includes(`${name.split('.', 1)[0]}.*`)) continue;
    problems.push(`${path}: there is no {{${name}}} here; expected ${names.join(', ')}`);
  }
}

function lookUp(values: TemplateValues, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  const [head = '', ...steps] = name.split('.');
  return steps.reduce(memberOf, Object.hasOwn(values, head) ? values[head] : undefined);
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function writtenOut(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const isPlain = Array.isArray(value) && value.every(item => textOf(item) !== undefined);
    return isPlain ? value.join(',') : JSON.stringify(value);
  }
  return textOf(value) ?? '';
}
