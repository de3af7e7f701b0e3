/** The API document as the reference shows it: a list of operations, each with all that its page needs. */

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'header' | 'query';
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example: string;
}

interface RawResponse {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, RawResponse>>;
}

export interface RawDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, RawResponse>>;
    readonly securitySchemes: Readonly<
      Record<string, { readonly name?: string; readonly description: string }>
    >;
  };
}

/** Clients send messages and fetch reports; operators run the gateway. */
export type Api = 'client' | 'operator';

/** What a call must bring. */
export type Access = 'credentials' | 'token' | 'operatorToken' | 'nothing';

export interface Body {
  readonly type: string;
  readonly schema: Schema;
  readonly examples: readonly { readonly name: string; readonly value: unknown }[];
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly (readonly [name: string, description: string])[];
  readonly bodies: readonly Body[];
}

export interface Operation {
  readonly id: string;
  readonly api: Api;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** The role of an operator that is enough. */
  readonly role: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly answers: readonly Answer[];
  /** Everything that a search looks into, in lower case. */
  readonly found: string;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

export interface ApiReference {
  readonly title: string;
  readonly description: string;
  readonly groups: Readonly<Record<Api, readonly Group[]>>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly schemas: RawDocument['components']['schemas'];
  /** The headers that carry the id and the password of an account. */
  readonly credentials: { readonly id: string; readonly password: string };
}

/** `now`: the first try of a reservation is for tomorrow. */
export function readDocument(raw: RawDocument, now: Date): ApiReference {
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf({ raw, now }, path, method, operation)),
  );
  const groupsOf = (api: Api) =>
    raw.tags
      .map(({ name, description }) => ({
        name,
        description,
        operations: operations.filter(each => each.api === api && each.tag === name),
      }))
      .filter(group => group.operations.length > 0)
      // What people call comes before what other systems do.
      .sort((one, other) => Number(isForSystems(one)) - Number(isForSystems(other)));
  const { clientId, clientPassword } = raw.components.securitySchemes;
  return {
    title: raw.info.title,
    description: raw.info.description,
    groups: { client: groupsOf('client'), operator: groupsOf('operator') },
    operations: new Map(operations.map(operation => [operation.id, operation])),
    schemas: raw.components.schemas,
    credentials: { id: clientId?.name ?? '', password: clientPassword?.name ?? '' },
  };
}

function isForSystems({ operations }: Group): boolean {
  return operations.every(({ api, access }) => api === 'operator' && access === 'nothing');
}

function operationOf(
  { raw, now }: { readonly raw: RawDocument; readonly now: Date },
  path: string,
  method: string,
  operation: RawOperation,
): Operation {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  const tag = operation.tags[0] ?? '';
  const [body] = bodiesOf(requestBody?.content).map(each => forTomorrow(each, now));
  const answers = Object.entries(operation.responses).map(([status, response]) =>
    answerOf(status, response.$ref === undefined ? response : named(raw.components.responses, response.$ref)),
  );
  const [requirement = {}] = operation.security;
  const names = [...parameters.map(({ name }) => name), ...Object.keys(body?.schema.properties ?? {})];
  const codes = answers.flatMap(answer => answer.description.match(/\bA\d{3}\b/g) ?? []);
  return {
    id,
    api: path.startsWith('/v1/') || path.startsWith('/files/') ? 'client' : 'operator',
    method: method.toUpperCase(),
    path,
    tag,
    summary,
    description,
    access: accessOf(requirement),
    role: requirement.adminToken?.[0],
    parameters,
    body,
    answers,
    found: [summary, method, path, id, tag, description, ...names, ...codes].join(' ').toLowerCase(),
  };
}

function accessOf(requirement: Readonly<Record<string, readonly string[]>>): Access {
  if (requirement.clientId) return 'credentials';
  if (requirement.token) return 'token';
  return requirement.adminToken ? 'operatorToken' : 'nothing';
}

function answerOf(status: string, response: RawResponse): Answer {
  return {
    status,
    description: response.description,
    headers: Object.entries(response.headers ?? {}).map(([name, header]) => [name, header.description]),
    bodies: bodiesOf(response.content),
  };
}

function bodiesOf(contents: Readonly<Record<string, Content>> = {}): Body[] {
  return Object.entries(contents).map(([type, { schema, examples = {} }]) => ({
    type,
    schema,
    examples: Object.values(examples).map(({ summary, value }) => ({ name: summary, value })),
  }));
}

/** A time to send at is in the future; the document has one that has passed. */
function forTomorrow(body: Body, now: Date): Body {
  const examples = body.examples.map(example => ({
    ...example,
    value: movedTo(tomorrow(now), example.value),
  }));
  return { ...body, examples };
}

function movedTo(date: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(each => movedTo(date, each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => {
    const isTime = name === 'resvSendTime' && typeof each === 'string';
    return [name, isTime ? date + each.slice(date.length) : movedTo(date, each)];
  });
  return Object.fromEntries(members);
}

/** `2026-03-02`, by the clock of the reader. */
function tomorrow(now: Date): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const padded = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${padded(day.getMonth() + 1)}-${padded(day.getDate())}`;
}

/** The entry that a reference such as `#/components/schemas/Report` names. */
export function named<T>(entries: Readonly<Record<string, T>>, reference: string): T {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const found = entries[name];
  if (found === undefined) throw new Error(`the document has no ${reference}`);
  return found;
}

/** Operations that hold every word, the best first: a word in the summary or the path counts more. */
export function search(operations: Iterable<Operation>, text: string): Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ summary, path, id }: Operation) => {
    const head = `${summary} ${path} ${id}`.toLowerCase();
    return words.filter(word => head.includes(word)).length;
  };
  return [...operations]
    .filter(({ found }) => words.every(word => found.includes(word)))
    .sort((one, other) => rank(other) - rank(one));
}
