import { EXAMPLE_MSG_KEY, EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, orNull, reference, text, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import { queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;

export const operatorQueueDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/queue',
      operationId: 'readQueue',
      role: 'viewer',
      summary: 'Show the depth of the queue',
      description: 'How many channel messages are ready, put off, claimed and waiting.',
      success: success(
        { data: reference('QueueDepth') },
        { data: { ready: 12, claimed: 4, waiting: 230, putOff: 3, oldestReadyAt: 1772411400000 } },
      ),
      codes: ['A002', 'A020', 'A999'],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/queue/messages',
      operationId: 'listQueue',
      role: 'viewer',
      summary: 'List the oldest messages that are being delivered',
      description: 'Oldest first, whatever they wait for. Numbers are masked for everybody.',
      parameters: [
        queryParameter('limit', 'Most messages, 1 to 1000; default 50.', '50', {
          type: 'string',
          pattern: '^\\d{1,4}$',
        }),
      ],
      success: success(
        { data: closedObject({ messages: { type: 'array', items: reference('QueuedMessage') } }) },
        {
          data: {
            messages: [
              {
                msgKey: EXAMPLE_MSG_KEY,
                account: 'shop',
                to: '010****5678',
                channel: 'sms',
                state: 'submitted',
                step: 0,
                attempt: 1,
                acceptedAt: EXAMPLE_TIME,
                postponedUntil: null,
              },
            ],
          },
        },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/queue/set-aside',
      operationId: 'listSetAside',
      role: 'viewer',
      summary: 'List answers and receipts that could not be stored',
      description:
        'The newest 100, each with the reason. The outcome of their messages is unknown until a receipt or the deadline.',
      success: success(
        { data: { type: 'array', items: reference('SetAside') } },
        { data: [{ at: 1772411400000, reason: 'invalid byte sequence', event: '{"kind":"receipt"}' }] },
      ),
      codes: ['A002', 'A020', 'A999'],
    },
  ],
  schemas: {
    QueueDepth: closedObject(
      {
        ready: count('Steps that are due and wait for their turn.'),
        claimed: count('Steps that are being submitted.'),
        waiting: count('Steps that wait for a receipt.'),
        putOff: count(
          'Steps that wait for their time: a later attempt, or the permitted hours of an advertisement.',
        ),
        oldestReadyAt: count('Due time of the oldest ready step, in milliseconds.'),
      },
      ['oldestReadyAt'],
    ),
    QueuedMessage: closedObject({
      msgKey: text('Key of the message.'),
      account: text('Account that sent it.'),
      to: text('Recipient, masked.'),
      channel: text('Channel of the current step.'),
      state: text('State of the current step.'),
      step: count('Number of the current step, from 0.'),
      attempt: count('Attempts of this step so far.'),
      acceptedAt: time('When it was accepted.'),
      postponedUntil: orNull(time('When an advertisement outside its hours may go out; null for others.')),
    }),
    SetAside: closedObject({
      at: count('When, in milliseconds.'),
      reason: text('Why it could not be stored.'),
      event: text('The event, as JSON.'),
    }),
  },
};
