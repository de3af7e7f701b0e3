import type { JsonSchema } from '../../domain/request/fields.ts';
import type { ResultCode } from '../../domain/request/result-codes.ts';
import { closedObject, orNull, reference, text } from '../../operations/schemas.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
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
const DELIVERY = '/admin/v1/webhooks/{deliveryId}';
const CODES: readonly ResultCode[] = ['A002', 'A300', 'A999'];

const STATES = ['pending', 'retrying', 'delivered', 'failed', 'off'];
const moment = text('ISO 8601 with the configured offset.');
const status: JsonSchema = { type: 'integer', description: 'HTTP status of the receiver.' };
const whole: JsonSchema = { type: 'integer', minimum: 0 };

const TROUBLE: JsonSchema = {
  ...closedObject({
    since: text('When the calls were stopped, ISO 8601 with the configured offset.'),
    failures: { ...whole, description: 'Calls that failed in a row.' },
    error: text('What was wrong with the last one.'),
    lastAt: text('When that was.'),
    nextAt: orNull(text('When the receiver is called again; null: with the next record that falls due.')),
  }),
  description: 'The receiver keeps failing: it is called again after a pause, once. Null while all is well.',
};

const DELIVERY_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  id: text('The webhook-id that the receiver sees, the same for every attempt and replay.'),
  account: text('Account whose record it is.'),
  msgKey: text('Key of the message.'),
  step: { ...whole, description: 'Position of the channel message in its flow, from 0.' },
  state: {
    type: 'string',
    enum: STATES,
    description:
      'pending: waits for its first attempt. retrying: failed, and waits for another. off: waits because the receiver answered 410.',
  },
  attempts: { ...whole, description: 'Attempts so far; a replay and a retry after the end count anew.' },
  waitsFor: {
    type: ['string', 'null'],
    enum: ['time', 'turn', 'call', 'circuit', 'webhook', null],
    description:
      'What a record that was not delivered waits for. time: its next attempt. turn: it is due, others are before it. call: a node has it in hand. circuit: the receiver keeps failing and is called again at the next attempt. webhook: nothing is sent to this webhook now.',
  },
  nextAt: orNull(text('Next attempt, never in the past; ISO 8601 with the configured offset.')),
  lastAt: orNull(moment),
  lastStatus: orNull(status),
  lastError: orNull(text('What was wrong with the last attempt.')),
};

const ATTEMPT_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  at: moment,
  status: orNull(status),
  error: orNull(text('What was wrong.')),
  durationMs: whole,
};

const milliseconds = (what: string): JsonSchema =>
  orNull({
    ...whole,
    description: `Milliseconds from the start until ${what}; null if it did not come so far.`,
  });
const headers: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

const EXCHANGE: JsonSchema = {
  ...orNull(
    closedObject({
      request: closedObject({
        url: text('URL that was called; without its path and query for other roles than admin.'),
        headers: { ...headers, description: 'As they were sent; of signatures only the beginning.' },
        body: orNull(text('The record as it was sent; null when it is not kept any more.')),
      }),
      answer: orNull(
        closedObject({
          headers: { ...headers, description: 'At most 20; cookies and the like are hidden.' },
          body: text('Its first 1000 characters, of a success 200. Numbers in it are masked.'),
          length: { ...whole, description: 'Characters of the whole body.' },
        }),
      ),
      sentMs: milliseconds('the request was on a connected socket'),
      answeredMs: milliseconds('the head of the answer was there'),
    }),
  ),
  description: 'What went back and forth. Null where it is not kept: of the last three attempts only.',
};

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  WebhookDelivery: closedObject({
    ...DELIVERY_MEMBERS,
    recent: {
      type: 'array',
      description: 'The last attempts, oldest first.',
      items: closedObject(ATTEMPT_MEMBERS),
    },
  }),
  WebhookDeliveryDetail: closedObject({
    ...DELIVERY_MEMBERS,
    offReason: orNull(text('Why nothing is sent to this webhook now.')),
    trouble: orNull(TROUBLE),
    reportedAt: moment,
    giveUpAt: text('End of its attempts, ISO 8601 with the configured offset.'),
    history: {
      type: 'array',
      description: 'Up to 20 attempts, newest first.',
      items: closedObject({ ...ATTEMPT_MEMBERS, exchange: EXCHANGE }),
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
      enum: ['closed', 'open'],
      description: 'open: the last calls failed, and only a probe is sent now and then. See trouble.',
    },
    trouble: orNull(TROUBLE),
  }),
};

const WEBHOOK_EXAMPLE = {
  url: 'https://shop.example.com/reports',
  isOff: false,
  offReason: null,
  secrets: [{ id: '06C3Q8ZD9GYYRC3W', createdAt: EXAMPLE_TIME, expiresAt: null }],
  pending: 0,
  circuit: 'closed',
  trouble: null,
};

const DELIVERY_EXAMPLE = {
  id: `${EXAMPLE_MSG_KEY}-0`,
  account: 'shop',
  msgKey: EXAMPLE_MSG_KEY,
  step: 0,
  state: 'retrying',
  attempts: 1,
  waitsFor: 'time',
  nextAt: EXAMPLE_TIME,
  lastAt: EXAMPLE_TIME,
  lastStatus: 500,
  lastError: 'HTTP 500; expected 200',
};
const ATTEMPT_EXAMPLE = { at: EXAMPLE_TIME, status: 500, error: 'HTTP 500; expected 200', durationMs: 12 };
const EXCHANGE_EXAMPLE = {
  request: {
    url: 'https://shop.example.com/reports',
    headers: { 'webhook-id': `${EXAMPLE_MSG_KEY}-0`, 'webhook-signature': 'v1,K5oZfzN9…' },
    body: `{"msgKey":"${EXAMPLE_MSG_KEY}","reportCode":"10000"}`,
  },
  answer: { headers: { 'content-type': 'text/plain' }, body: 'Internal Server Error', length: 21 },
  sentMs: 3,
  answeredMs: 11,
};

const deliveryId = pathParameter(
  'deliveryId',
  'Id of the delivery: the webhook-id of the record.',
  `${EXAMPLE_MSG_KEY}-0`,
);
const NO_DELIVERY = 'There is no such delivery.';
const RANGE = jsonRequest(
  {
    type: 'object',
    properties: { from: { ...moment, format: 'date-time' }, until: { ...moment, format: 'date-time' } },
    required: ['from', 'until'],
  },
  { 'one day': { from: '2026-03-02T00:00:00+09:00', until: '2026-03-03T00:00:00+09:00' } },
);

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
            deliveries: [{ ...DELIVERY_EXAMPLE, recent: [ATTEMPT_EXAMPLE] }],
            next: null,
          },
        },
      ),
      codes: CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: DELIVERY,
      operationId: 'readWebhookDelivery',
      role: 'viewer',
      summary: 'Show a webhook delivery',
      description: 'Its attempts, and what went back and forth in the last three of them.',
      parameters: [deliveryId],
      success: success(
        { data: reference('WebhookDeliveryDetail') },
        {
          data: {
            ...DELIVERY_EXAMPLE,
            offReason: null,
            trouble: null,
            reportedAt: EXAMPLE_TIME,
            giveUpAt: '2026-03-05T09:30:00+09:00',
            history: [{ ...ATTEMPT_EXAMPLE, exchange: EXCHANGE_EXAMPLE }],
          },
        },
      ),
      codes: CODES,
      notFound: NO_DELIVERY,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${DELIVERY}/retry`,
      operationId: 'retryWebhookDelivery',
      role: 'operator',
      summary: 'Send one record now',
      description:
        'Before all others of its account, even if its receiver keeps failing. One that was delivered or given up is tried for three more days.',
      parameters: [deliveryId],
      success: success(
        { data: reference('WebhookDelivery') },
        { data: { ...DELIVERY_EXAMPLE, recent: [ATTEMPT_EXAMPLE] } },
      ),
      codes: CODES,
      notFound: NO_DELIVERY,
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
            at: moment,
            exchange: EXCHANGE,
          }),
        },
        {
          data: {
            isOk: false,
            status: 404,
            detail: 'HTTP 404; expected 200',
            durationMs: 35,
            at: EXAMPLE_TIME,
            exchange: EXCHANGE_EXAMPLE,
          },
        },
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
      description:
        'All records reported and inbound messages received in the range, delivered or not, each with its original webhook-id, behind what is due for the account.',
      parameters: [accountId],
      request: RANGE,
      success: success({ data: closedObject({ records: whole }) }, { data: { records: 120 } }),
      codes: [...CODES, 'A010', 'A011'],
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${WEBHOOK}/retry`,
      operationId: 'retryWebhook',
      role: 'operator',
      summary: 'Send what was not delivered of a time range',
      description:
        'Records reported in the range that wait or were given up, as soon as nothing else is due for the account, instead of at their next attempt. One that was given up is tried for three more days.',
      parameters: [accountId],
      request: RANGE,
      success: success({ data: closedObject({ records: whole }) }, { data: { records: 12 } }),
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
