import { SEND_KINDS } from '../../domain/request/send-kinds.ts';
import { FILE_OPERATIONS } from '../contract/file.openapi.ts';
import { SEND_EXAMPLES } from '../contract/send-examples.ts';
import { CODES_OF_SEND, FILE_CODES } from '../openapi/codes.ts';
import {
  type ApiOperation,
  type ApiParameter,
  closedObject,
  jsonRequest,
  pathParameter,
  reference,
  success,
  text,
} from '../openapi/operation.ts';
import { accountId, CHANGE_CODES, EXAMPLE_MSG_KEY, NO_ACCOUNT, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Compose', access: 'operator' } as const;
const ACCOUNT = '/admin/v1/accounts/{id}';
const REPORT_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0P';

const kind: ApiParameter = {
  ...pathParameter('kind', 'Which send of the client API.', 'sms'),
  schema: { type: 'string', enum: SEND_KINDS },
};
const BODY = jsonRequest(
  { type: 'object', description: 'As for the send of that name.', additionalProperties: true },
  { 'an SMS': SEND_EXAMPLES.sms.text },
);
const SENT = success(
  {
    msgKey: text('Key of the message.'),
    ref: text('Reference, when one was given.'),
    data: closedObject({ destinations: { type: 'array', items: reference('Destination') } }),
  },
  { msgKey: EXAMPLE_MSG_KEY, ref: 'order-1042' },
  ['msgKey', 'ref', 'data'],
);

/** Uploads as the client's own, under the account. */
const UPLOADS: readonly ApiOperation[] = FILE_OPERATIONS.filter(({ method }) => method === 'post').map(
  operation => ({
    ...operation,
    ...COMMON,
    path: operation.path.replace('/v1/file', `${ACCOUNT}/files`),
    operationId: operation.operationId.replace('uploadFile', 'uploadAccountFile'),
    summary: `${operation.summary}, for an account`,
    parameters: [accountId, ...(operation.parameters ?? [])],
    codes: [...new Set([...FILE_CODES, ...READ_CODES])],
    notFound: NO_ACCOUNT,
  }),
);

export const COMPOSE_OPERATIONS: readonly ApiOperation[] = [
  {
    ...COMMON,
    method: 'post',
    path: `${ACCOUNT}/send/{kind}`,
    operationId: 'sendForAccount',
    summary: 'Send for an account',
    description: 'Body, rules and answer are those of /v1/send/{kind}; so is Idempotency-Key.',
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
    summary: 'Try a send out',
    description:
      'Reads a send as it would be read, and accepts nothing: why it would be refused, what the recipient would get, and how long its parts are. A problem is no refusal of the check.',
    parameters: [accountId, kind],
    request: BODY,
    success: success(
      { data: reference('CheckedSend') },
      {
        data: {
          problem: null,
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
    summary: 'The batch of reports an account holds',
    description: 'What its own poll would bring: the same batch until it is deleted, by either.',
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
    summary: 'Delete a batch of reports of an account',
    description: 'Its client will not see these records by polling any more.',
    parameters: [accountId, pathParameter('reportId', 'Key of the batch.', REPORT_ID)],
    success: success(
      { data: closedObject({ reportId: text('Key of the batch.') }) },
      { data: { reportId: REPORT_ID } },
    ),
    codes: [...READ_CODES, 'A802', 'A805'],
    notFound: NO_ACCOUNT,
  },
  ...UPLOADS,
];
