/**
 * The API document (OpenAPI 3.1), made from the documents of all resources and the field tables of the domain. The same
 * input gives the same bytes; test/openapi checks it against the routes and against real answers.
 */
import type { JsonSchema } from '../../domain/request/fields.ts';
import { RESULT_CODES, type ResultCode } from '../../domain/request/result-codes.ts';
import { closedObject, text } from '../../operations/schemas.ts';
import type { Language } from '../language.ts';
import { koreanDocument } from './korean/korean-document.ts';
import { type ApiContent, type ApiOperation, JSON_MEDIA, TAGS } from './operation.ts';
import { RESOURCE_DOCUMENTS } from './resource-documents.ts';

export const API_OPERATIONS: readonly ApiOperation[] = RESOURCE_DOCUMENTS.flatMap(
  ({ operations }) => operations,
);

/** The part of a document that tools and tests look into. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: JsonSchema;
}

/** `headerPrefix` is the `SVC` in `X-SVC-Client-Id`. */
export function apiDocument(headerPrefix = 'SVC', language: Language = 'en'): ApiDocument {
  const document = englishDocument(headerPrefix);
  return language === 'ko' ? koreanDocument(document) : document;
}

function englishDocument(headerPrefix: string): ApiDocument {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of API_OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    ...HEAD,
    paths,
    components: {
      schemas: Object.fromEntries(RESOURCE_DOCUMENTS.flatMap(({ schemas }) => Object.entries(schemas ?? {}))),
      responses: sharedRefusals(),
      securitySchemes: securitySchemes(headerPrefix),
    },
  };
}

const HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Bongsu: messaging gateway and sandbox',
    version: '1',
    description: [
      'One HTTP API for RCS, SMS, MMS, international SMS and messenger messages, with delivery reports.',
      'Without settings the gateway is a **sandbox** with a simulated network: the last four digits of the recipient decide what happens (0001 is no subscriber, 0005 is delivered on the third attempt; other numbers are delivered).',
      'Every answer is JSON with `code` and `result`; `A000` means success. `null`, `""` and `[]` mean "not given". Unknown members are ignored; operations of operators refuse them, and unknown parameters.',
    ].join('\n\n'),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The gateway that serves this document.' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
};

const OPERATOR_TOKEN =
  'Admin token, printed on the first start, or the token of a named operator. A requirement names the role that is enough.';

function securitySchemes(prefix: string): JsonSchema {
  const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
  return {
    clientId: header(`X-${prefix}-Client-Id`, 'Id of the account.'),
    clientPassword: header(`X-${prefix}-Client-Passwd`, 'Password of the account.'),
    token: { type: 'http', scheme: 'bearer', description: 'Token from POST /v1/auth/token.' },
    adminToken: { type: 'http', scheme: 'bearer', description: OPERATOR_TOKEN },
  };
}

const SECURITY: Readonly<Record<Exclude<ApiOperation['access'], 'operator'>, readonly JsonSchema[]>> = {
  credentials: [{ clientId: [], clientPassword: [] }],
  account: [{ token: [] }],
  everyone: [],
};

function describe(operation: ApiOperation): JsonSchema {
  const { operationId, summary, description, tag, access, role, parameters = [], request } = operation;
  return {
    operationId,
    summary,
    description: role === undefined ? description : `${description} Role: ${role}.`,
    tags: [tag],
    security: access === 'operator' ? [{ adminToken: [role] }] : SECURITY[access],
    ...(parameters.length > 0 && {
      parameters: parameters.map(each => ({ ...each, required: each.required ?? each.in === 'path' })),
    }),
    ...(request && { requestBody: { required: true, content: contentOf([request]) } }),
    responses: responsesOf(operation),
  };
}

function contentOf(contents: readonly ApiContent[]): JsonSchema {
  return Object.fromEntries(
    contents.map(({ type, schema, examples }) => {
      const values = Object.entries(examples).map(([name, value]) => [
        exampleName(name),
        { summary: name, value },
      ]);
      return [type, { schema, ...(values.length > 0 && { examples: Object.fromEntries(values) }) }];
    }),
  );
}

/** Names of examples are keys, which may not contain blanks. */
function exampleName(words: string): string {
  return words.replaceAll(/[^\w]+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function responsesOf(operation: ApiOperation): JsonSchema {
  const refusals = codesByStatus(operation).map(([status, codes]) => {
    const name = sharedName(codes);
    return [status, name === undefined ? refusal(codes) : responseReference(name)] as const;
  });
  const isJson = operation.request?.type === JSON_MEDIA;
  return Object.fromEntries<unknown>([
    [200, { description: 'Success.', content: contentOf(operation.success) }],
    ...refusals,
    ...(operation.signedOut ? [[401, refusal(['A002'], operation.signedOut)] as const] : []),
    ...(operation.notFound ? [[404, refusal(['A300'], operation.notFound)] as const] : []),
    ...(isJson ? [[415, responseReference(FOREIGN_TYPE)] as const] : []),
  ]);
}

function codesByStatus({ codes, access, role, method }: ApiOperation): [number, ResultCode[]][] {
  const byStatus = Map.groupBy([...new Set(codes)].sort(), code => RESULT_CODES[code].status);
  // The role is too low, or a change by cookie came from another site.
  if (access === 'operator' && (role !== 'viewer' || method !== 'get')) byStatus.get(403)?.push('A300');
  return [...byStatus];
}

const FOREIGN_TYPE = 'ForeignContentType';

/** Short lists of codes are the same for many operations; each is described once, under its codes. */
function sharedName(codes: readonly ResultCode[]): string | undefined {
  return codes.length <= 3 ? codes.join('-') : undefined;
}

function sharedRefusals(): JsonSchema {
  const lists = API_OPERATIONS.flatMap(codesByStatus).map(([, codes]) => [sharedName(codes), codes] as const);
  const shared = lists.flatMap(([name, codes]) =>
    name === undefined ? [] : [[name, refusal(codes)] as const],
  );
  const foreignType = refusal(['A300'], 'Content-Type must be application/json');
  return Object.fromEntries([...shared, [FOREIGN_TYPE, foreignType]]);
}

function responseReference(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

/** One response for all codes of a status: exactly `code` and `result`. */
function refusal(codes: readonly ResultCode[], result?: string): JsonSchema {
  const [first = 'A999'] = codes;
  const schema = closedObject({
    code: { type: 'string', enum: codes },
    result: text('What is wrong: the field and the rule.'),
  });
  const example = { code: first, result: result ?? RESULT_CODES[first].text };
  const list = codes.map(code => `- ${code}: ${result ?? RESULT_CODES[code].text}`).join('\n');
  return {
    description: list,
    ...headersOf(first),
    content: contentOf([{ type: JSON_MEDIA, schema, examples: { [first]: example } }]),
  };
}

const OUTCOME_HEADER = {
  'X-Outcome': {
    description: 'Only if it is not known whether the request was carried out.',
    schema: { type: 'string', const: 'unknown' },
  },
};

function headersOf(code: ResultCode): JsonSchema {
  if (code === 'A020' || code === 'A920') {
    const description = 'Seconds after which to try again.';
    const retryAfter = { 'Retry-After': { description, schema: { type: 'integer' } } };
    return { headers: code === 'A920' ? { ...retryAfter, ...OUTCOME_HEADER } : retryAfter };
  }
  if (code !== 'A999') return {};
  const description = 'Identifies the request in the log of the gateway.';
  return { headers: { 'X-Request-Id': { description, schema: { type: 'string' } } } };
}
