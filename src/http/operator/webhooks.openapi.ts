import type { JsonSchema } from '../../domain/request/fields.ts';
import type { ResultCode } from '../../domain/request/result-codes.ts';
import { jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import { closedObject, orNull, reference, text } from '../openapi/schemas.ts';
import {
  accountId,
  cursor,
  EXAMPLE_MSG_KEY,
  EXAMPLE_TIME,
  limit,
  NO_ACCOUNT,
  queryParameter,
} from './operation.openapi.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;
const WEBHOOK = '/admin/v1/accounts/{id}/webhook';
const CODES: readonly ResultCode[] = ['A002', 'A300', 'A999'];

const STATES = ['pending', 'delivered', 'failed', 'off'];
const moment = text('ISO 8601 with the configured offset.');
const status: JsonSchema = { type: 'integer', description: 'HTTP status of the receiver.' };
const whole: JsonSchema = { type: 'integer', minimum: 0 };

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  WebhookDelivery: closedObject({
    id: text('The webhook-id that the receiver sees, the same for every attempt and replay.'),
    account: text('Account whose record it is.'),
    msgKey: text('Key of the message.'),
    step: { ...whole, description: 'Position of the channel message in its flow, from 0.' },
    state: {
      type: 'string',
      enum: STATES,
      description: 'off: the record waits because the webhook is switched off.',
    },
    attempts: whole,
    nextAt: orNull(moment),
    lastAt: orNull(moment),
    lastStatus: orNull(status),
    lastError: orNull(text('What was wrong with the last attempt.')),
    recent: {
      type: 'array',
      description: 'The last attempts, oldest first.',
      items: closedObject({
        at: moment,
        status: orNull(status),
        error: orNull(text('What was wrong.')),
        durationMs: whole,
      }),
    },
  }),
  Webhook: closedObject({
    url: orNull(text('URL that records are posted to.')),
    isOff: { type: 'boolean', description: 'Nothing is sent to it now.' },
    offReason: orNull(text('Why not.')),
    secrets: {
      type: 'array',
      description: 'Secrets that sign, newest first.',
      items: closedObject({
        id: text('Identifies it; this is not the secret.'),
        createdAt: moment,
        expiresAt: orNull(moment),
      }),
    },
    pending: { ...whole, description: 'Records that wait, counted up to 100000.' },
    circuit: {
      type: 'string',
      enum: ['closed', 'open', 'unknown'],
      description: 'open: the last calls failed, and only a probe is sent now and then.',
    },
  }),
};

const WEBHOOK_EXAMPLE = {
  url: 'https://shop.example.com/reports',
  isOff: false,
  offReason: null,
  secrets: [{ id: '06C3Q8ZD9GYYRC3W', createdAt: EXAMPLE_TIME, expiresAt: null }],
  pending: 0,
  circuit: 'closed',
};

export const operatorWebhooksDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/webhooks',
      operationId: 'listWebhookDeliveries',
      role: 'viewer',
      summary: 'List webhook deliveries',
      description: 'Newest messages first. A delivery that ended is kept for a week.',
      parameters: [
        queryParameter('account', 'Of this account only.', 'shop'),
        queryParameter('state', 'In this state only.', 'failed', { type: 'string', enum: STATES }),
        limit,
        cursor(`${EXAMPLE_MSG_KEY}-0`),
      ],
      success: success(
        {
          data: closedObject({
            deliveries: { type: 'array', items: reference('WebhookDelivery') },
            next: orNull(text('Cursor of the next page.')),
          }),
        },
        {
          data: {
            deliveries: [
              {
                id: `${EXAMPLE_MSG_KEY}-0`,
                account: 'shop',
                msgKey: EXAMPLE_MSG_KEY,
                step: 0,
                state: 'pending',
                attempts: 1,
                nextAt: EXAMPLE_TIME,
                lastAt: EXAMPLE_TIME,
                lastStatus: 500,
                lastError: 'HTTP 500; expected 200',
                recent: [{ at: EXAMPLE_TIME, status: 500, error: 'HTTP 500; expected 200', durationMs: 12 }],
              },
            ],
            next: null,
          },
        },
      ),
      codes: CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: WEBHOOK,
      operationId: 'readWebhook',
      role: 'viewer',
      summary: 'Show the webhook of an account',
      description: 'Its URL, whether it is switched off and why, and how many records wait.',
      parameters: [accountId],
      success: success({ data: reference('Webhook') }, { data: WEBHOOK_EXAMPLE }),
      codes: CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${WEBHOOK}/test`,
      operationId: 'testWebhook',
      role: 'operator',
      summary: 'Send a sample record',
      description: 'One signed call with msgKey TEST0000000000000000000000000000; it is not retried.',
      parameters: [accountId],
      success: success(
        {
          data: closedObject({
            isOk: { type: 'boolean' },
            status: orNull(status),
            detail: text('What was wrong, or that all is well.'),
            durationMs: whole,
          }),
        },
        { data: { isOk: false, status: 404, detail: 'HTTP 404; expected 200', durationMs: 35 } },
      ),
      codes: CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${WEBHOOK}/replay`,
      operationId: 'replayWebhook',
      role: 'operator',
      summary: 'Send the records of a time range again',
      description: 'All records reported in the range, delivered or not, each with its original webhook-id.',
      parameters: [accountId],
      request: jsonRequest(
        {
          type: 'object',
          properties: { from: { ...moment, format: 'date-time' }, until: { ...moment, format: 'date-time' } },
          required: ['from', 'until'],
        },
        { 'one day': { from: '2026-03-02T00:00:00+09:00', until: '2026-03-03T00:00:00+09:00' } },
      ),
      success: success({ data: closedObject({ records: whole }) }, { data: { records: 120 } }),
      codes: [...CODES, 'A010', 'A011'],
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${WEBHOOK}/secret`,
      operationId: 'rotateWebhookSecret',
      role: 'admin',
      summary: 'Rotate the signing secret',
      description:
        'Shown only once. The previous secret stays valid for a day, and calls are signed with both.',
      parameters: [accountId],
      success: success(
        { data: closedObject({ secret: text('whsec_ and 32 bytes in base64.') }) },
        { data: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=' } },
      ),
      codes: CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${WEBHOOK}/resume`,
      operationId: 'resumeWebhook',
      role: 'operator',
      summary: 'Switch a webhook on again',
      description: 'After it answered 410. Waiting records that are less than three days old are sent.',
      parameters: [accountId],
      success: success({ data: reference('Webhook') }, { data: WEBHOOK_EXAMPLE }),
      codes: CODES,
      notFound: NO_ACCOUNT,
    },
  ],
  schemas: SCHEMAS,
};
