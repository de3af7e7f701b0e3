import { REGISTRY_KIND_WORDS } from '../../domain/registry/registry.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { entrySchema } from '../../operations/registry.ts';
import { closedObject, count, orNull, reference, text } from '../../operations/schemas.ts';
import {
  type ApiParameter,
  jsonRequest,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';
import { withReferences } from '../openapi/request-schemas.ts';
import { accountId, CHANGE_CODES, NO_ACCOUNT, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const ENTRIES = '/admin/v1/accounts/{id}/registry';
const ENTRY = `${ENTRIES}/{kind}/{key}`;

const kinds = { type: 'string', enum: REGISTRY_KIND_WORDS };
const kind: ApiParameter = { ...pathParameter('kind', 'Kind of entry.', 'sender'), schema: kinds };
const key = pathParameter(
  'key',
  'Identifies the entry within its kind; a key of two fields is joined by a slash, written %2F.',
  '0212345678',
);
const anyKind: ApiParameter = { ...kind, in: 'query', description: 'Only entries of this kind.' };

const SENDER = { kind: 'sender', key: '0212345678', number: '0212345678' };

/** An entry of each kind, as in answers. */
const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  RegistryEntry: { oneOf: REGISTRY_KIND_WORDS.map(word => entrySchema(word)) },
  Appearance: closedObject({
    key: text('Key of the sender profile or brand.'),
    name: orNull(text('Name that recipients see.')),
    logo: orNull(text('Image as a data: URL.')),
  }),
};

/** The kind is in the path, so one schema cannot say which fields are allowed. */
const ENTRY_FIELDS: JsonSchema = {
  type: 'object',
  description: 'The fields of the kind, as in RegistryEntry. Those that make up the key may be left out.',
  additionalProperties: true,
};

export const operatorRegistryDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: ENTRIES,
      operationId: 'listRegistry',
      role: 'viewer',
      summary: 'List what is registered for an account',
      description:
        'Sender numbers, sender profiles, templates, brands and international sender ids. Logos, which are large, only with `kind=logo`.',
      parameters: [accountId, anyKind],
      success: success(
        { data: closedObject({ entries: { type: 'array', items: reference('RegistryEntry') } }) },
        { data: { entries: [SENDER] } },
      ),
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: ENTRIES,
      operationId: 'putRegistry',
      role: 'operator',
      summary: 'Register several entries',
      description: 'All of them or none. An entry with the same kind and key is replaced.',
      parameters: [accountId],
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            entries: {
              type: 'array',
              items: { type: 'object', additionalProperties: true },
              description: 'Each with `kind`, and its fields as in RegistryEntry.',
            },
          },
          required: ['entries'],
        },
        { 'a sender number': { entries: [{ kind: 'sender', number: '0212345678' }] } },
      ),
      success: success(
        { data: closedObject({ entries: count('How many were registered.') }) },
        { data: { entries: 1 } },
      ),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'put',
      path: ENTRY,
      operationId: 'putRegistryEntry',
      role: 'operator',
      summary: 'Register an entry',
      description: 'Replaces an entry with the same kind and key.',
      parameters: [accountId, kind, key],
      request: jsonRequest(ENTRY_FIELDS, { 'sender number': { number: '0212345678' } }),
      success: success({ data: reference('RegistryEntry') }, { data: SENDER }),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'delete',
      path: ENTRY,
      operationId: 'deleteRegistryEntry',
      role: 'operator',
      summary: 'Remove an entry',
      description: 'Sends that were accepted before are not affected.',
      parameters: [accountId, kind, key],
      success: success(
        { data: closedObject({ kind: kinds, key: { type: 'string' } }) },
        { data: { kind: 'sender', key: '0212345678' } },
      ),
      codes: READ_CODES,
      notFound: 'There is no such account or entry.',
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/accounts/{id}/appearance/{senderKey}',
      operationId: 'readAppearance',
      role: 'viewer',
      summary: 'Show how a sender looks to recipients',
      description:
        'Name and logo of a sender profile or brand, as they are registered; null for what is not. The previews of the console use them.',
      parameters: [accountId, pathParameter('senderKey', 'A senderKey, or a brandKey.', 'BR.a1B2c3D4e5')],
      success: success(
        { data: reference('Appearance') },
        { data: { key: 'BR.a1B2c3D4e5', name: 'Shop', logo: null } },
      ),
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
  ],
  schemas: withReferences(SCHEMAS),
};
