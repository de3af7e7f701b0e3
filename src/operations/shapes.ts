/**
 * What answers to operators are made of. A shape says three things of a value: its type, its JSON Schema in the API document, and
 * what of it is hidden from whom.
 */
import type { Role } from '../domain/operator/role.ts';
import type { JsonSchema } from '../domain/request/fields.ts';
import * as schemas from './schemas.ts';
import { said } from './words.ts';

export type Sight = 'clear' | 'masked';

/** Who reads an answer: his role, and whether he sees numbers and texts of messages. */
export interface Viewer {
  readonly role: Role;
  readonly sight: Sight;
}

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** The schemas to which it refers by name. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  /** What this viewer sees of the value. Without it everybody sees all of it. */
  show?(value: T, viewer: Viewer): T;
}

/** The type of a shape. */
export type Of<S> = S extends Shape<infer T> ? T : never;

type Members = Readonly<Record<string, Shape<unknown>>>;

interface Optional {
  readonly isOptional: true;
}

export type ObjectOf<M extends Members> = {
  readonly [Name in keyof M as M[Name] extends Optional ? never : Name]: Of<M[Name]>;
} & { readonly [Name in keyof M as M[Name] extends Optional ? Name : never]?: Of<M[Name]> | undefined };

export const text = (english: string, korean?: string): Shape<string> =>
  plain(schemas.text(said(english, korean)));
export const time = (english: string, korean?: string): Shape<string> =>
  plain(schemas.time(said(english, korean)));
export const flag = (english: string, korean?: string): Shape<boolean> =>
  plain(schemas.flag(said(english, korean)));
export const integer = (english: string, korean?: string): Shape<number> =>
  plain({ type: 'integer', description: said(english, korean) });
export const count = (english: string, korean?: string): Shape<number> =>
  plain(schemas.count(said(english, korean)));

export function oneOf<const T extends string>(
  values: readonly T[],
  english: string,
  korean?: string,
): Shape<T> {
  return plain({ type: 'string', enum: values, description: said(english, korean) });
}

/** Of a type that the schema alone says. */
export function plain<T>(schema: JsonSchema): Shape<T> {
  return { schema, named: {} };
}

export function orNull<T>({ schema, named, show }: Shape<T>): Shape<T | null> {
  return {
    schema: {
      ...schemas.orNull(schema),
      ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
    },
    named,
    ...(show && { show: (value, viewer) => (value === null ? value : show(value, viewer)) }),
  };
}

/** The same shape with these words about it. */
export function described<T>(shape: Shape<T>, english: string, korean?: string): Shape<T> {
  return { ...shape, schema: { ...shape.schema, description: said(english, korean) } };
}

/** Hidden in part from all but admins. */
export function forAdmins<T>(shape: Shape<T>, hide: (value: T) => T): Shape<T> {
  return { ...shape, show: (value, { role }) => (role === 'admin' ? value : hide(value)) };
}

/** Hidden from those who do not see numbers and texts of messages. */
export function masked<T>(shape: Shape<T>, mask: (value: T) => T): Shape<T> {
  return { ...shape, show: (value, { sight }) => (sight === 'clear' ? value : mask(value)) };
}

/** Hidden from everybody. */
export function hidden<T>(shape: Shape<T>, mask: (value: T) => T): Shape<T> {
  return { ...shape, show: mask };
}

/** A member that an answer may lack. */
export function optional<T>(shape: Shape<T>): Shape<T> & Optional {
  return { ...shape, isOptional: true };
}

/** An object of exactly these members. */
export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  const entries = Object.entries(members);
  const shown = entries.filter(([, { show }]) => show !== undefined);
  const schema = schemas.closedObject(
    Object.fromEntries(entries.map(([name, member]) => [name, member.schema])),
    entries.filter(([, member]) => 'isOptional' in member).map(([name]) => name),
  );
  return {
    schema,
    named: Object.assign({}, ...entries.map(([, { named }]) => named)),
    ...(shown.length > 0 && { show: showMembers }),
  };

  function showMembers(value: ObjectOf<M>, viewer: Viewer): ObjectOf<M> {
    const there = shown.filter(([name]) => Object.hasOwn(value, name));
    const masked = there.map(([name, member]) => [
      name,
      member.show?.(value[name as keyof ObjectOf<M>], viewer),
    ]);
    return { ...value, ...Object.fromEntries(masked) };
  }
}

/** The same shape, which the document describes once, under this name. */
export function named<T>(name: string, shape: Shape<T>): Shape<T> {
  const { schema, ...rest } = shape;
  return { ...rest, schema: schemas.reference(name), named: { [name]: schema, ...shape.named } };
}

export function listOf<T>(item: Shape<T>, english?: string, korean?: string): Shape<readonly T[]> {
  const description = english === undefined ? {} : { description: said(english, korean) };
  const { show } = item;
  return {
    schema: { type: 'array', items: item.schema, ...description },
    named: item.named,
    ...(show && { show: (items, viewer) => items.map(each => show(each, viewer)) }),
  };
}

export type Page<Name extends string, T> = { readonly [Key in Name]: readonly T[] } & {
  readonly next: string | null;
};

/** A page of a list, newest first. */
export function pageOf<const Name extends string, T>(member: Name, item: Shape<T>): Shape<Page<Name, T>> {
  const next = orNull(text('Cursor of the next page; null on the last one.'));
  const page = object({ [member]: listOf(item, 'Newest first.'), next } as Members);
  return page as Shape<unknown> as Shape<Page<Name, T>>;
}

/** A part of a file for spreadsheets; `next` is the cursor of the part after it. */
export interface CsvPart {
  readonly text: string;
  readonly rows: number;
  readonly next: string | null;
}

/** An answer that is no JSON. `row` is what one row is made of. */
export interface CsvShape<Row> extends Shape<CsvPart> {
  readonly fileName: string;
  readonly row: Shape<Row>;
}

export function csvOf<Row>(fileName: string, row: Shape<Row>): CsvShape<Row> {
  return { schema: { type: 'string' }, named: {}, fileName, row };
}

export function show<T>(shape: Shape<T>, value: T, viewer: Viewer): T {
  return shape.show ? shape.show(value, viewer) : value;
}
