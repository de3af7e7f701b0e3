import { CALL_CODES } from '../../operations/codes.ts';
import { closedObject, listOf, reference, text, time } from '../../operations/schemas.ts';
import type { WireInbound } from '../../report/wire-inbound.ts';
import { type ApiParameter, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';

const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT0AB';
const MO_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0P';

const EXAMPLE: WireInbound = {
  msgKey: MSG_KEY,
  serviceType: 'MO',
  msgType: 'SM',
  to: '15881234',
  from: '01012345678',
  originator: '01012345678',
  content: 'EVENT I want to take part',
  occurredTime: '2026-03-02T09:30:00+09:00',
};

const parameter = (name: string, description: string, example: string, required = false): ApiParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
  example,
  required,
});

export const moDocument: ResourceDocument = {
  operations: [
    {
      method: 'get',
      path: '/v1/mo/polling',
      operationId: 'pollInbound',
      tag: 'Inbound',
      summary: 'Receive inbound messages',
      description:
        'The oldest messages that people sent to your numbers and that were not fetched yet, at most 1000. The same batch is returned with the same moId until it is deleted. If there are none, moId is empty and mo is null.',
      access: 'account',
      success: success({ data: reference('InboundBatch') }, { data: { moId: MO_ID, mo: [EXAMPLE] } }),
      codes: [...CALL_CODES, 'A802'],
    },
    {
      method: 'delete',
      path: '/v1/mo/polling/{moId}',
      operationId: 'acknowledgeInbound',
      tag: 'Inbound',
      summary: 'Delete a batch of inbound messages that was processed',
      description: 'Call it once you have stored the messages; the next poll then returns the next batch.',
      access: 'account',
      parameters: [pathParameter('moId', 'Key of the batch.', MO_ID)],
      success: success(),
      codes: [...CALL_CODES, 'A802', 'A805'],
    },
    {
      method: 'get',
      path: '/v1/message/inquiry/mo/msgKey/{msgKey}',
      operationId: 'inquireInbound',
      tag: 'Inbound',
      summary: 'Look up one inbound message',
      description: 'The message, up to 30 days old; an empty list if the key is unknown.',
      access: 'account',
      parameters: [pathParameter('msgKey', 'Key of the message.', MSG_KEY)],
      success: success(
        { data: closedObject({ messages: listOf('InboundMessage', 'At most one.') }) },
        { data: { messages: [EXAMPLE] } },
      ),
      codes: CALL_CODES,
    },
    {
      method: 'get',
      path: '/v1/message/history/mo',
      operationId: 'listInbound',
      tag: 'Inbound',
      summary: 'List inbound messages',
      description: 'Messages from a time on, oldest first, up to 30 days old, fetched or not.',
      access: 'account',
      parameters: [
        parameter('occurredTime', 'Received from this time on.', '2026-03-02T09:30:00+09:00', true),
        parameter('from', 'Number of the sender, however it is written.', '01012345678'),
        parameter('to', 'Your number, as it is registered.', '15881234'),
        parameter('lastSeq', 'The lastSeq of the page before.', MSG_KEY),
        parameter('limit', 'Messages of one page, 1 to 1000; 100 if it is left out.', '100'),
      ],
      success: success(
        {
          data: closedObject({
            messages: listOf('InboundMessage', 'Oldest first.'),
            lastSeq: text('Cursor of the next page.'),
            hasNext: { type: 'boolean', description: 'Whether there are more.' },
          }),
        },
        { data: { messages: [EXAMPLE], lastSeq: MSG_KEY, hasNext: false } },
      ),
      codes: CALL_CODES,
    },
  ],
  schemas: {
    InboundMessage: closedObject({
      msgKey: text('Key of the message.'),
      serviceType: { const: 'MO', description: 'Always MO.' },
      msgType: { const: 'SM', description: 'Always SM.' },
      to: text('Your number, as it is registered.'),
      from: text('Number of the sender.'),
      originator: text('The handset; the same as from.'),
      content: text('Text. Long messages are joined. Empty when its time is over.'),
      occurredTime: time('When the gateway received it.'),
    }),
    InboundBatch: closedObject({
      moId: text('Key of the batch; empty if there are no messages.'),
      mo: { type: ['array', 'null'], items: reference('InboundMessage'), maxItems: 1000 },
    }),
  },
};
