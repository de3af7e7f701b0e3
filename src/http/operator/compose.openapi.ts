import { CHANNELS } from '../../domain/channels/channel.ts';
import { SEND_KINDS } from '../../domain/request/send-kinds.ts';
import { CODES_OF_SEND } from '../../operations/codes.ts';
import { EXAMPLE_MSG_KEY } from '../../operations/common.ts';
import { closedObject, count, listOf, orNull, reference, text } from '../../operations/schemas.ts';
import { SEND_EXAMPLES } from '../contract/send-examples.ts';
import {
  type ApiParameter,
  jsonRequest,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';
import { accountId, CHANGE_CODES, NO_ACCOUNT, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Compose', access: 'operator' } as const;
const ACCOUNT = '/admin/v1/accounts/{id}';
const REPORT_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0P';

const kind: ApiParameter = {
  ...pathParameter('kind', 'The send of the client API to use.', 'sms'),
  schema: { type: 'string', enum: SEND_KINDS },
};
const BODY = jsonRequest(
  { type: 'object', description: 'As for the send of that kind.', additionalProperties: true },
  { 'an SMS': SEND_EXAMPLES.sms.text },
);
const SENT = success(
  {
    msgKey: text('Key of the message.'),
    ref: text('Reference, if one was given.'),
    data: closedObject({ destinations: { type: 'array', items: reference('Destination') } }),
  },
  { msgKey: EXAMPLE_MSG_KEY, ref: 'order-1042' },
  ['msgKey', 'ref', 'data'],
);

export const operatorComposeDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: `${ACCOUNT}/send/{kind}`,
      operationId: 'sendForAccount',
      role: 'operator',
      summary: 'Send for an account',
      description:
        'Body, rules, Idempotency-Key and answer are those of /v1/send/{kind}, the header Idempotent-Replayed too.',
      parameters: [accountId, kind],
      request: BODY,
      success: SENT,
      codes: [...CODES_OF_SEND.omni, 'A110'],
      notFound: 'There is no such account, or no such send.',
    },
    {
      ...COMMON,
      method: 'post',
      path: `${ACCOUNT}/check/{kind}`,
      operationId: 'checkForAccount',
      role: 'operator',
      summary: 'Check a send',
      description:
        'Checks a send without accepting it: why it would be refused, what is probably not meant, what the recipient would get, and how long each field is. The answer is A000 even if the send would be refused.',
      parameters: [accountId, kind],
      request: BODY,
      success: success(
        { data: reference('CheckedSend') },
        {
          data: {
            problem: null,
            warnings: [],
            steps: [
              {
                channel: 'sms',
                rendered: { channel: 'sms', from: '0212345678', text: 'Your order has left.' },
                measures: [{ name: 'bytes', field: 'text', value: 20, limit: 90 }],
              },
            ],
          },
        },
      ),
      codes: CHANGE_CODES,
      notFound: 'There is no such account, or no such send.',
    },
    {
      ...COMMON,
      method: 'get',
      path: `${ACCOUNT}/reports`,
      operationId: 'pollForAccount',
      role: 'operator',
      summary: 'Fetch the batch of reports of an account',
      description:
        'The batch that its own poll would return: the same one until the account or the operator deletes it.',
      parameters: [accountId],
      success: success({ data: reference('ReportBatch') }, { data: { reportId: '', report: null } }),
      codes: [...READ_CODES, 'A802'],
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'delete',
      path: `${ACCOUNT}/reports/{reportId}`,
      operationId: 'acknowledgeForAccount',
      role: 'operator',
      summary: 'Delete a batch of reports of an account',
      description: 'Its client can no longer fetch these records by polling.',
      parameters: [accountId, pathParameter('reportId', 'Key of the batch.', REPORT_ID)],
      success: success(
        { data: closedObject({ reportId: text('Key of the batch.') }) },
        { data: { reportId: REPORT_ID } },
      ),
      codes: [...READ_CODES, 'A802', 'A805'],
      notFound: NO_ACCOUNT,
    },
  ],
  schemas: {
    CheckedSend: closedObject({
      problem: {
        anyOf: [
          { type: 'null' },
          closedObject({ code: text('Result code.'), result: text('The field and the rule.') }),
        ],
        description: 'Why it would be refused; null if it would not.',
      },
      warnings: listOf('Warning', 'What would be accepted and is probably not meant.'),
      steps: {
        type: 'array',
        items: closedObject({
          channel: { type: 'string', enum: CHANNELS },
          rendered: reference('ChannelMessage'),
          measures: listOf('Measure', 'How long its fields are.'),
        }),
      },
    }),
    Warning: closedObject({
      name: {
        type: 'string',
        enum: [
          ...['placeholder', 'templateState', 'templateContent', 'templateValue'],
          ...['unknownFormat', 'contentKind', 'unknownFile'],
        ],
        description:
          'A placeholder without a value; a template of the library that is not approved; content that differs from it; a value of it that is missing; what a network refuses: a formatId that is neither in the table nor an approved template, content that an issued template does not take, a file that is not there.',
      },
      step: count('Position in the flow, from 0.'),
      keys: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Keys of #{key} placeholders that have no value, which the recipient would get as they stand; the state of the template; the fields that differ; the values that are missing; the formatId and the format that was probably meant; the content and the formatId; the file. At most 10.',
      },
    }),
    Measure: closedObject({
      name: { type: 'string', enum: ['bytes', 'characters', 'parts', 'buttons'] },
      field: text('What is measured.'),
      value: count('Measured length; bytes are EUC-KR bytes.'),
      limit: orNull(count('Limit; null where there is none.')),
    }),
  },
};
