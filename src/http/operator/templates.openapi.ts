import { REGISTRY_KINDS } from '../../domain/registry/registry.ts';
import { TEMPLATE_KINDS, type TemplateKind } from '../../domain/registry/template.ts';
import { TEMPLATE_STATES } from '../../domain/registry/template-state.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, listOf, orNull, reference, text, time } from '../../operations/schemas.ts';
import {
  type ApiParameter,
  jsonRequest,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';
import { schemaOf } from '../openapi/request-schemas.ts';
import {
  accountId,
  CHANGE_CODES,
  cursor,
  limit,
  NO_ACCOUNT,
  queryParameter,
  READ_CODES,
} from './operation.openapi.ts';

const COMMON = { tag: 'Stored', access: 'operator' } as const;
const TEMPLATES = '/admin/v1/accounts/{id}/templates';
const TEMPLATE = `${TEMPLATES}/{kind}/{key}`;
const NO_TEMPLATE = 'There is no such account or template.';

const kinds = { type: 'string', enum: TEMPLATE_KINDS };
const states: JsonSchema = { type: 'string', enum: TEMPLATE_STATES, description: 'State of its approval.' };
const kind: ApiParameter = {
  ...pathParameter('kind', 'Kind of template.', 'rcsTemplate'),
  schema: kinds,
};
const key = pathParameter(
  'key',
  'Of an alimtalk or brandmessage template senderKey/templateCode, with the slash as %2F; of an RCS template formatId.',
  'TPL01',
);
const revision = count('Higher with every change; sent back with the next one.');

const CONTENT = { templateKind: 'description', name: 'Welcome', text: '{{name}}, welcome' } as const;
const EXAMPLE = {
  kind: 'rcsTemplate',
  key: 'TPL01',
  formatId: 'TPL01',
  ...CONTENT,
  state: 'review',
  variables: ['name'],
  revision: 2,
  changedAt: EXAMPLE_TIME,
};

function templateSchema(word: TemplateKind): JsonSchema {
  const { meaning, fields } = REGISTRY_KINDS[word];
  const { properties, required } = schemaOf(fields) as {
    properties: Readonly<Record<string, JsonSchema>>;
    required: readonly string[];
  };
  const optional = Object.keys(properties).filter(name => !required.includes(name) && name !== 'state');
  const own = {
    kind: { const: word },
    key: text('Identifies the template within its kind.'),
    ...properties,
    state: states,
    variables: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of the values that a message made from it needs; at most 100.',
    },
    revision,
    changedAt: orNull(time('Last change; null if that was before changes were recorded.')),
  };
  return { ...closedObject(own, optional), description: meaning };
}

export const operatorTemplatesDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: TEMPLATES,
      operationId: 'listTemplates',
      role: 'viewer',
      summary: 'List the templates of an account',
      description: 'By kind and key. A page may hold fewer than asked for, even none, and still have a next.',
      parameters: [
        accountId,
        { ...kind, in: 'query', description: 'Only templates of this kind.' },
        queryParameter('state', 'Only templates in this state.', 'approved', {
          type: 'string',
          enum: TEMPLATE_STATES,
        }),
        queryParameter('text', 'A part of the code, the name or the text.', 'welcome'),
        cursor('rcsTemplate:TPL01'),
        limit,
      ],
      success: success(
        {
          data: closedObject({
            templates: listOf('Template', 'By kind and key.'),
            next: orNull(text('Cursor of the next page; null on the last one.')),
          }),
        },
        { data: { templates: [EXAMPLE], next: null } },
      ),
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'put',
      path: TEMPLATE,
      operationId: 'saveTemplate',
      role: 'operator',
      summary: 'Save a draft of a template',
      description:
        'The template is then in the state draft. One that is in review or approved cannot be saved; one that somebody else has changed since it was read neither.',
      parameters: [accountId, kind, key],
      request: jsonRequest(
        {
          type: 'object',
          description:
            'The fields of the kind, as in Template, except state and reason; and the revision that was read, none for a new template.',
          additionalProperties: true,
        },
        { 'a new template': CONTENT },
      ),
      success: success(
        { data: reference('Template') },
        { data: { ...EXAMPLE, state: 'draft', revision: 1 } },
      ),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'get',
      path: TEMPLATE,
      operationId: 'readTemplate',
      role: 'viewer',
      summary: 'Read a template with its history',
      description: 'The last 30 changes are kept, newest first.',
      parameters: [accountId, kind, key],
      success: success(
        {
          data: closedObject({
            template: reference('Template'),
            next: { type: 'array', items: states, description: 'States that it can be put into.' },
            isEditable: { type: 'boolean', description: 'Whether it can be saved in this state.' },
            history: listOf('TemplateChange', 'Newest first.'),
          }),
        },
        {
          data: {
            template: EXAMPLE,
            next: ['approved', 'rejected', 'draft'],
            isEditable: false,
            history: [
              {
                at: EXAMPLE_TIME,
                by: 'kim',
                revision: 2,
                state: 'review',
                reason: null,
                text: CONTENT.text,
              },
            ],
          },
        },
      ),
      codes: READ_CODES,
      notFound: NO_TEMPLATE,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${TEMPLATE}/state`,
      operationId: 'decideTemplate',
      role: 'operator',
      summary: 'Put a template into another state',
      description:
        'From draft to review; from review to approved, rejected or draft; from approved to rejected or draft; from rejected to draft or review.',
      parameters: [accountId, kind, key],
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            state: states,
            reason: { type: 'string', maxLength: 500, description: 'Required to reject.' },
            revision,
          },
          required: ['state', 'revision'],
        },
        {
          'hand it in': { state: 'review', revision: 1 },
          approved: { state: 'approved', revision: 2 },
          rejected: { state: 'rejected', reason: 'The link leads nowhere.', revision: 3 },
        },
      ),
      success: success(
        { data: reference('Template') },
        { data: { ...EXAMPLE, state: 'approved', revision: 3 } },
      ),
      codes: CHANGE_CODES,
      notFound: NO_TEMPLATE,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${TEMPLATES}/import`,
      operationId: 'importTemplates',
      role: 'operator',
      summary: 'Import templates',
      description:
        'Stores all templates of the list or none; one under the same key is replaced. A template without a state is approved. With trial nothing is stored, and the answer lists every problem.',
      parameters: [accountId],
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            templates: {
              type: 'array',
              items: { type: 'object', additionalProperties: true },
              maxItems: 1000,
              description: 'Entries of the registry, as in RegistryEntry.',
            },
            trial: { type: 'boolean', description: 'Only say what would happen. Default false.' },
          },
          required: ['templates'],
        },
        {
          'one template': {
            templates: [{ kind: 'rcsTemplate', key: 'TPL02', ...CONTENT }],
          },
        },
      ),
      success: success(
        {
          data: closedObject({
            created: count('Templates that are new.'),
            replaced: count('Templates in the place of others.'),
            unchanged: count('Templates that are there as they are.'),
            problems: {
              type: 'array',
              items: closedObject({
                entry: { type: 'integer', minimum: 1, description: 'Place in the list.' },
                result: text('The field and the rule.'),
              }),
              description: 'At most 50; only with trial, otherwise the first of them is the answer.',
            },
          }),
        },
        { data: { created: 1, replaced: 0, unchanged: 0, problems: [] } },
      ),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
  ],
  schemas: {
    Template: { oneOf: TEMPLATE_KINDS.map(templateSchema) },
    TemplateChange: closedObject({
      at: time('When it was changed.'),
      by: text('Who changed it.'),
      revision,
      state: states,
      reason: orNull(text('What was said about the state; null if nothing.')),
      text: text('Text of the template after the change.'),
    }),
  },
};
