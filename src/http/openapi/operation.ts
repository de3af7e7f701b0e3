/** The types of what the API document says about a resource; the files *.openapi.ts are made of them. */
import type { Role } from '../../domain/operator/role.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { RESULT_CODES, type ResultCode } from '../../domain/request/result-codes.ts';
import { closedObject } from '../../operations/schemas.ts';

export const TAGS = {
  Token: 'Credentials in, bearer token out. Every other call of the contract needs one.',
  Send: 'One message to one recipient, or a flow of messages to up to ten. A000 means that it is on disk.',
  Reservation: 'Sends that wait for their time. Their messages have keys from the beginning.',
  Form: 'Message flows saved under an id, for combined sends.',
  File: 'Images, uploaded before the messages that show them.',
  Report: 'Delivery reports: in batches by polling, or for one message.',
  Inbound: 'Messages received on account numbers: in batches by polling, one message, or all of them.',
  Message: 'What became of messages: one, those of a request, history, statistics; and cancelling them.',
  OptOut: 'Recipients who opted out of advertisements, or of everything: one list for each account.',
  Callbacks: 'Where providers of carriers of kind http deliver their receipts.',
  Operator:
    'For the people who run the gateway. Needs the admin token, the token of a named operator, or the session cookie of the console; a change by cookie must carry `X-Bongsu-Console: 1` and come from the same origin. Each operation says which role is enough: viewer, operator or admin.',
  Session: 'Signing in to the console.',
  Messages: 'Finding messages, and everything about one.',
  Compose: 'Sending, checking and collecting reports on behalf of an account.',
  Privacy: 'What is kept of one recipient: counting, exporting and erasing it.',
  Maintenance: 'Long work on the whole store. One piece of it at a time.',
  Operators: 'Named operators, their roles and tokens.',
  Accounts: 'Who may send, and what they may do.',
  Stored: 'Files and forms of all accounts.',
  Figures: 'Live events, statistics, and the audit log.',
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
  /** By name; the Postman collection sends the first one. */
  readonly examples: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly ApiParameter[];
  readonly request?: ApiContent;
  readonly success: readonly ApiContent[];
  /** The result codes of its refusals. */
  readonly codes: readonly ResultCode[];
  /** What a 404 means, if not an unknown path. */
  readonly notFound?: string;
  /** What a 401 means; only the resource for signing in answers with it. */
  readonly signedOut?: string;
}

/** Who may call it. For operators also the role that is enough; the routes say the same, and a test compares. */
type Permission =
  | { readonly access: 'credentials' | 'account' | 'everyone'; readonly role?: never }
  | { readonly access: 'operator'; readonly role: Role };

export type ApiOperation = Operation & Permission;

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

/** An uploaded image, in whichever of the formats it was accepted. */
export const IMAGE_CONTENT: readonly ApiContent[] = ['image/jpeg', 'image/png', 'image/gif', 'image/bmp'].map(
  type => ({ type, schema: { type: 'string', contentMediaType: type }, examples: {} }),
);

export function jsonRequest(schema: JsonSchema, examples: Readonly<Record<string, unknown>>): ApiContent {
  return { type: JSON_MEDIA, schema, examples };
}

export function pathParameter(name: string, description: string, example: string): ApiParameter {
  return { name, in: 'path', description, schema: { type: 'string' }, example };
}
