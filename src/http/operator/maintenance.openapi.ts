import type { JsonSchema } from '../../domain/request/fields.ts';
import { closedObject, count, flag, text } from '../../operations/schemas.ts';
import { FORMS, SEALING_MODES } from '../../platform/vault.ts';
import { type ApiContent, jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import { LINES_TYPE } from './long-answer.ts';
import { CHANGE_CODES, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Maintenance', access: 'operator', role: 'admin', method: 'post' } as const;
const KEY = '9f3c21d07ab4e856';

/** Lines of JSON: how far it is, and at last the envelope. */
function lines(data: JsonSchema, example: object): readonly ApiContent[] {
  const [last] = success({ data }, { data: example });
  const schema: JsonSchema = {
    anyOf: [
      closedObject({
        progress: { type: 'object', description: 'How far it is.', additionalProperties: true },
      }),
      ...(last ? [last.schema] : []),
    ],
    description: 'Of each line: progress, every few seconds; the last line is the result.',
  };
  return [{ type: LINES_TYPE, schema, examples: last?.examples ?? {} }];
}

const names = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

export const operatorMaintenanceDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: '/admin/v1/data-keys/count',
      operationId: 'countDataKeys',
      summary: 'Count values by the data key that they are encrypted with',
      description: 'Reads the whole store, in a thread of its own. Nothing is changed.',
      success: lines(
        closedObject({
          keys: names('Keys of this gateway, the one that encrypts first.'),
          mode: {
            ...text('How the store is encrypted: strict refuses everything that is not gcm.'),
            enum: SEALING_MODES,
          },
          values: {
            type: 'array',
            description: 'By table, key and form.',
            items: closedObject({
              table: text('Table.'),
              key: text('Key, or plain.'),
              form: { ...text('How they are stored; hash is a keyed hash.'), enum: FORMS },
              values: count('Values.'),
            }),
          },
        }),
        {
          ...{ keys: [KEY], mode: 'gcm' },
          values: [{ table: 'message', key: KEY, form: 'gcm', values: 120_000 }],
        },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      path: '/admin/v1/data-keys/reseal',
      operationId: 'resealValues',
      summary: 'Encrypt everything with the first data key',
      description:
        'While the gateway runs, with PostgreSQL. SQLite is rewritten for it: stop the gateway, and use the command on its machine.',
      success: lines(
        closedObject({
          seen: count('Rows looked at.'),
          changed: count('Rows re-encrypted.'),
          unused: names('Keys that may be left out of the setting.'),
          inUse: names('Keys that are still needed.'),
          isStrict: flag('Whether the store refuses from now on what is not encrypted.'),
        }),
        { seen: 240_000, changed: 120_000, unused: ['17aa02c9d4e1b038'], inUse: [KEY], isStrict: true },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      path: '/admin/v1/files/move',
      operationId: 'moveFiles',
      summary: 'Move uploaded files to where they are kept now',
      description: 'While the gateway runs. It may be interrupted, and begun again.',
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            from: text(
              'directory, database or s3://BUCKET/PREFIX; without it, from the data directory and the database.',
            ),
          },
        },
        { all: {}, fromBucket: { from: 's3://old-bucket' } },
      ),
      success: lines(
        closedObject({
          to: text('Where files are kept now.'),
          moves: {
            type: 'array',
            description: 'By the place that they came from.',
            items: closedObject({
              from: text('Place they came from.'),
              to: text('Where files are kept now.'),
              moved: count('Contents moved.'),
              bytes: count('Their bytes.'),
              unneeded: count('Contents deleted that no file needs.'),
              damaged: names('Hashes of damaged contents, which stay where they are.'),
            }),
          },
        }),
        {
          to: 's3://bongsu/',
          moves: [
            {
              ...{ from: 'the database', to: 's3://bongsu/', moved: 340, bytes: 81_000_000 },
              ...{ unneeded: 2, damaged: [] },
            },
          ],
        },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      path: '/admin/v1/backups',
      operationId: 'makeBackup',
      summary: 'Make a backup and download it',
      description:
        'A tar with the SQLite database, the uploaded files and the key of webhook secrets; `bongsu restore` takes the directory that it holds. It is made first, in the data directory, which needs room for a copy; then it is sent. It needs a token; a session of the console is not enough.',
      success: [
        {
          type: 'application/x-tar',
          schema: { type: 'string', contentMediaType: 'application/x-tar' },
          examples: {},
        },
      ],
      codes: READ_CODES,
    },
  ],
};
