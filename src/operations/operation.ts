/**
 * How an operation of operators is declared: once, as data. The route, the API document, the calls of the console and of commands,
 * and the entry in the audit log are made from it. What it does is in src/operate/, in a handler that has its type.
 */
import type { Role } from '../domain/operator/role.ts';
import type { Field, Fields, ValuesOf } from '../domain/request/fields.ts';
import type { ResultCode } from '../domain/request/result-codes.ts';
import type { CsvPart, CsvShape, Shape, Viewer } from './shapes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Method, and path below /admin/v1. */
export type Address = `${Method} /${string}`;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parameters of the path, the query and the members of the body in one object. A file is its member `file`. */
type Input<A extends string, Q extends Fields, B extends Fields> = {
  readonly [Name in NamesIn<A>]: string;
} & ValuesOf<Q> &
  ValuesOf<B>;

/** What the audit log keeps: about whom or what, and what was done. Never a secret, and never the text of a message. */
export interface Logged {
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

type Needs = 'gateway' | 'gateway on SQLite';

interface Audit<In, Out> {
  readonly action: string;
  /** Made of what was asked for and of what was done, before anything is hidden. None where nothing was done. */
  entry(input: In, answer: Out, viewer: Viewer): Logged | undefined;
  /** Each part that is done has an entry: the handler calls `log`. Otherwise there is one after it. */
  readonly inParts?: true;
}

export interface Operation<A extends Address, Q extends Fields, B extends Fields, Out> {
  readonly address: A;
  /** In the API document. */
  readonly id: string;
  readonly role: Role;
  readonly summary: string;
  readonly description: string;
  readonly query?: Q;
  readonly body?: B;
  /** The body is a file for spreadsheets, in the member `file`. */
  readonly takesCsv?: true;
  /** The body is an object whose members depend on the path: the member `fields`. */
  readonly takesFields?: true;
  /** Bodies, by a few words for each. */
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly answer: Shape<Out>;
  /** Of an answer. */
  readonly example?: Out;
  /** Result codes of its refusals beside those that every operation of its kind has. */
  readonly codes?: readonly ResultCode[];
  /** What a 404 means. */
  readonly notFound?: string;
  /** Where a command without --url cannot do it. On SQLite a gateway looks for no orders of others. */
  readonly needs?: Needs;
  readonly audit?: Audit<Input<A, Q, B>, Out>;
}

// biome-ignore lint/complexity/noBannedTypes: no fields at all
type None = {};

export function operation<
  A extends Address,
  Out,
  Q extends Fields = None,
  B extends Fields = None,
  S extends Shape<Out> = Shape<Out>,
  N extends Needs = never,
>(
  address: A,
  declared: Omit<Operation<A, Q, B, Out>, 'address' | 'answer' | 'needs'> & {
    readonly answer: S & Shape<Out>;
    readonly needs?: N;
  },
): Operation<A, Q, B, Out> & { readonly answer: S; readonly needs?: N } {
  return { address, ...declared };
}

export interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** The only values. */
  readonly values?: readonly string[];
}

export type AnyOperation = Operation<Address, Fields, Fields, unknown>;

/** Sections of the API document. */
type Tag = 'Operator' | 'Accounts' | 'Figures' | 'Stored' | 'Operators' | 'Messages' | 'Compose';

export interface Resource {
  readonly tag: Tag;
  readonly path: Readonly<Record<string, PathParameter>>;
  readonly operations: readonly AnyOperation[];
}

/** The operations of a resource by address. `path`: what the parameters in their paths mean. */
export function resource<const List extends readonly { readonly address: Address }[]>(
  tag: Tag,
  path: Resource['path'],
  operations: List,
) {
  return { tag, path, operations };
}

/** The operations of a resource, by address. */
export type OperationsOf<R extends Resource> = {
  readonly [O in R['operations'][number] as O['address']]: O;
};

/** What a handler reads. */
export type InputOf<O> = O extends Operation<infer A, infer Q, infer B, infer _> ? Input<A, Q, B> : never;

/** What an operation answers. */
export type AnswerOf<O> = O extends Operation<infer _A, infer _Q, infer _B, infer Out> ? Out : never;

/** What a caller hears; how many rows a file has is for the audit log. */
export type Told<O> = O extends { readonly answer: CsvShape<infer _> } ? Omit<CsvPart, 'rows'> : AnswerOf<O>;

/** What else a handler is given. */
export interface Call<O> extends Viewer {
  /** The name of the operator. */
  readonly by: string;
  /** Of a named one. */
  readonly operatorId: string | undefined;
  /** Under which the gateway is reached. */
  readonly gatewayUrl: string;
  /** Of an operation that is logged in parts: writes the entry of one part. */
  log(part: AnswerOf<O>): Promise<void>;
  /** What the operator sees of a row of a file. */
  shown(row: RowOf<O>): RowOf<O>;
}

type RowOf<O> = O extends { readonly answer: CsvShape<infer Row> } ? Row : never;

/** A field that is written in another way than it is read. */
interface WrittenAs<Given> {
  /** Only a type. */
  readonly written?: Given;
}

export const writtenAs =
  <Given>() =>
  <T extends Field<unknown>>(read: T): T & WrittenAs<Given> =>
    read;

type GivenOf<F> =
  F extends Field<infer T> ? ('written' extends keyof F ? NonNullable<F['written']> : T) : never;

type GivenBody<B extends Fields> = {
  readonly [Name in keyof B as B[Name] extends Field<unknown, true> ? Name : never]: GivenOf<B[Name]>;
} & {
  readonly [Name in keyof B as B[Name] extends Field<unknown, true> ? never : Name]?:
    | GivenOf<B[Name]>
    | undefined;
};

/** What a caller writes. */
export type Asked<O> =
  O extends Operation<infer A, infer Q, infer B, infer _>
    ? { readonly [Name in NamesIn<A>]: string } & {
        readonly [Name in keyof Q]?: string | undefined;
      } & GivenBody<B>
    : never;
