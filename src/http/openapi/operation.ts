/** The shape of what the API document says of a resource and its operations; the files *.openapi.ts hold the rows. */
import type { JsonSchema } from '../../domain/request/fields.ts';
import { RESULT_CODES, type ResultCode } from '../../domain/request/result-codes.ts';
import { closedObject } from './schemas.ts';

export const TAGS = {
  Token: 'Exchanges credentials for a bearer token, which every other call needs.',
  Send: 'One message to one recipient, or a flow of messages to up to ten. A000 means that it is stored on disk.',
  Form: 'Flows stored under an id, for combined sends.',
  File: 'Images, uploaded before the messages that show them.',
  Report: 'Results of messages: in batches by polling, or one by one.',
  Callbacks: 'Receives callbacks from providers (carriers with kind http).',
  Operator:
    'For operators of the gateway. Requires the admin token, or the session cookie of the console; a change by cookie must carry `X-Bongsu-Console: 1` and come from the same origin.',
  Session: 'Signing in to the console.',
  Messages: 'Message search, and everything about one message.',
  Compose: 'Operators act for an account, as its own client would.',
  Accounts: 'Accounts and their settings.',
  Stored: 'Files and forms of all accounts.',
  Figures: 'Live events, statistics and the audit log.',
  Health: 'For load balancers and monitoring.',
} as const;

export type Tag = keyof typeof TAGS;

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'header' | 'query';
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: string;
  /** Parameters of the path always are. */
  readonly required?: boolean;
}

/** A body of one media type. */
export interface ApiContent {
  readonly type: string;
  readonly schema: JsonSchema;
  /** By name; the first one is what a ready-made collection sends. */
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface ApiOperation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly access: 'credentials' | 'account' | 'operator' | 'everyone';
  readonly parameters?: readonly ApiParameter[];
  readonly request?: ApiContent;
  readonly success: readonly ApiContent[];
  /** The refusals it can answer with. */
  readonly codes: readonly ResultCode[];
  /** What a 404 means here, where it is not an unknown path. */
  readonly notFound?: string;
  /** What a 401 means here: who is not signed in is refused so where signing in is the matter. */
  readonly signedOut?: string;
}

/** What the API document says of one resource. */
export interface ResourceDocument {
  readonly operations: readonly ApiOperation[];
  /** Objects that its operations refer to by name. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

export const JSON_MEDIA = 'application/json';

const ENVELOPE = {
  code: { const: 'A000', description: 'Result code.' },
  result: { type: 'string', description: 'Text of the code.' },
} as const;

/** A success with further members besides code and result. */
export function success(
  members: Readonly<Record<string, JsonSchema>> = {},
  example: object = {},
  optional: readonly string[] = [],
): readonly ApiContent[] {
  const value = { code: 'A000', result: RESULT_CODES.A000.text, ...example };
  return [
    {
      type: JSON_MEDIA,
      schema: closedObject({ ...ENVELOPE, ...members }, optional),
      examples: { success: value },
    },
  ];
}

export function jsonRequest(schema: JsonSchema, examples: Readonly<Record<string, unknown>>): ApiContent {
  return { type: JSON_MEDIA, schema, examples };
}

export function pathParameter(name: string, description: string, example: string): ApiParameter {
  return { name, in: 'path', description, schema: { type: 'string' }, example };
}
