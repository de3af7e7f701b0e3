import { RESERVATION_STATES } from '../../domain/reservation/reservation.ts';
import { CALL_CODES, RESERVATION_CODES } from '../../operations/codes.ts';
import { closedObject, count, listOf, orNull, reference, text, time } from '../../operations/schemas.ts';
import {
  type ApiParameter,
  jsonRequest,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';
import { RECIPIENTS_SCHEMA, RESERVATION_SCHEMA } from '../openapi/request-schemas.ts';
import { idempotencyKey } from './send.openapi.ts';

const RESV_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M';
const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
const ONE = '/v1/reservation/resvKey/{resvKey}';
const COMMON = { tag: 'Reservation', access: 'account' } as const;

const resvKey = pathParameter('resvKey', 'Key of the reservation.', RESV_KEY);

function query(name: string, description: string, example: string): ApiParameter {
  return { name, in: 'query', description, schema: { type: 'string' }, example };
}
const limit: ApiParameter = {
  name: 'limit',
  in: 'query',
  description: 'Most rows of a page, 1 to 1000; default 100.',
  schema: { type: 'string', pattern: '^\\d{1,4}$' },
  example: '100',
};

export const RESERVATION_EXAMPLE = {
  resvKey: RESV_KEY,
  resvName: 'March sale',
  status: 'PENDING',
  resvSendTime: '2026-03-02T09:30:00+09:00',
  channels: ['sms'],
  adYn: 'N',
  paymentCode: null,
  ref: null,
  groupKey: null,
  expectedCnt: 2,
  sentCnt: 0,
  successCnt: 0,
  failCnt: 0,
  regDate: '2026-03-01T18:00:00+09:00',
  updateDate: '2026-03-01T18:00:00+09:00',
};

const SHOWN = success({ data: reference('Reservation') }, { data: RESERVATION_EXAMPLE });
const ONE_CODES = [...CALL_CODES, 'A823', 'A920'] as const;
const CHANGE_CODES = [...ONE_CODES, 'A824'] as const;
const DESTINATION = { to: '01012345678', msgKey: MSG_KEY, code: 'A000', result: 'Success' };
const RECIPIENT = { to: '01012345678', replaceWords: { name: '지수' } };

export const RESERVATION_FIELDS = {
  resvKey: text('Key of the reservation.'),
  resvName: orNull(text('Name, if one was given.')),
  status: {
    type: 'string',
    enum: RESERVATION_STATES,
    description:
      'PENDING before its time; PROCESSING while its recipients go into the queue; STOPPED; HELD after the gateway was restored from a backup, until its operator decides; COMPLETED when all have; CANCELLED.',
  },
  resvSendTime: time('When it is sent.'),
  channels: { type: 'array', items: { type: 'string' }, description: 'Channels of its flow, in order.' },
  adYn: { type: 'string', enum: ['Y', 'N'], description: 'Whether its first message is an advertisement.' },
  paymentCode: orNull(text('Settlement department, if one was given.')),
  ref: orNull(text('Reference, if one was given.')),
  groupKey: orNull(text('Group of its messages, if one was given.')),
  expectedCnt: count('Recipients, without those that were removed.'),
  sentCnt: count('Recipients that went into the queue.'),
  successCnt: count('Of those, delivered. Counted a few seconds behind.'),
  failCnt: count('Of those, not delivered. Counted a few seconds behind.'),
  regDate: time('When it was made.'),
  updateDate: time('When it last changed.'),
};

export const reservationDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/v1/reservation',
      operationId: 'reserve',
      summary: 'Reserve a send',
      description:
        'A combined send for later: from a minute from now (A316) to a year (A331). Everything is checked now, and again when its time has come: a recipient that no longer passes then ends with a report. The keys of its messages are given at once. At most 10 recipients, or the recipientLimit of the account; more can be added until it is sent, 1,000 a call, up to 1,000,000. What a message form contains is fixed now; the form must still exist when it is sent.',
      parameters: [idempotencyKey],
      request: jsonRequest(RESERVATION_SCHEMA, {
        'an SMS for tomorrow': {
          resvSendTime: '2026-03-02 09:30:00',
          resvName: 'March sale',
          destinations: [RECIPIENT],
          messageFlow: [{ sms: { from: '0212345678', text: '#{name}님, 봄 할인이 시작되었습니다.' } }],
        },
      }),
      success: success(
        {
          data: closedObject(
            {
              resvKey: text('Key of the reservation; absent if every recipient was refused.'),
              destinations: { type: 'array', items: reference('Destination') },
            },
            ['resvKey'],
          ),
          ref: text('Reference, if one was given.'),
        },
        { data: { resvKey: RESV_KEY, destinations: [DESTINATION] } },
        ['ref'],
      ),
      codes: RESERVATION_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/reservation/list',
      operationId: 'listReservations',
      summary: 'List reservations',
      description: 'Newest first.',
      parameters: [
        query('resvSendTime', 'Only those to be sent at this time or later.', '2026-03-02T00:00:00+09:00'),
        query('status', 'Only those in this state.', 'PENDING'),
        query('lastSeq', 'The lastSeq of the page before.', RESV_KEY),
        limit,
      ],
      success: success(
        {
          data: closedObject({
            reservations: listOf('Reservation', 'Newest first.'),
            lastSeq: orNull(text('Where the next page begins.')),
            hasNext: { type: 'boolean', description: 'Whether there are more.' },
          }),
        },
        { data: { reservations: [RESERVATION_EXAMPLE], lastSeq: RESV_KEY, hasNext: false } },
      ),
      codes: [...CALL_CODES, 'A316', 'A920'],
    },
    {
      ...COMMON,
      method: 'get',
      path: ONE,
      operationId: 'readReservation',
      summary: 'Show a reservation',
      description: 'Its state and its counts. Kept as long as messages are.',
      parameters: [resvKey],
      success: SHOWN,
      codes: ONE_CODES,
    },
    {
      ...COMMON,
      method: 'put',
      path: ONE,
      operationId: 'changeReservation',
      summary: 'Change time or name of a reservation',
      description:
        'Only while it is PENDING or HELD. The keys of its messages stay as they are, and with them their place in the history. At most 31 days before the time for which it was first reserved (A316).',
      parameters: [resvKey],
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            resvSendTime: text('When it is sent, as in the reservation.'),
            resvName: { type: 'string', maxLength: 100, description: 'Name of the reservation.' },
          },
        },
        { later: { resvSendTime: '2026-03-03 10:00:00' } },
      ),
      success: SHOWN,
      codes: [...CHANGE_CODES, 'A010', 'A011', 'A316', 'A330', 'A331'],
    },
    {
      ...COMMON,
      method: 'post',
      path: `${ONE}/cancel`,
      operationId: 'cancelReservation',
      summary: 'Cancel a reservation',
      description:
        'While it is PENDING, STOPPED or HELD. Nothing more of it is sent, and its waiting recipients are deleted; they get no report.',
      parameters: [resvKey],
      success: SHOWN,
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${ONE}/stop`,
      operationId: 'stopReservation',
      summary: 'Pause a reservation',
      description: 'While it is PROCESSING. What is in the queue is sent; the other recipients wait.',
      parameters: [resvKey],
      success: SHOWN,
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${ONE}/resume`,
      operationId: 'resumeReservation',
      summary: 'Resume a paused reservation',
      description: 'While it is STOPPED. The recipients that wait are sent from now on.',
      parameters: [resvKey],
      success: SHOWN,
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${ONE}/destinations`,
      operationId: 'addReservedRecipients',
      summary: 'Add recipients to a reservation',
      description:
        'While it is PENDING, STOPPED or HELD. Up to 1,000 a call; A318 if it would have more than 1,000,000. Each recipient has a result of its own.',
      parameters: [resvKey, idempotencyKey],
      request: jsonRequest(RECIPIENTS_SCHEMA, { 'one more': { destinations: [RECIPIENT] } }),
      success: success(
        { data: closedObject({ destinations: { type: 'array', items: reference('Destination') } }) },
        { data: { destinations: [DESTINATION] } },
      ),
      codes: [...RESERVATION_CODES, 'A823', 'A824'],
    },
    {
      ...COMMON,
      method: 'get',
      path: `${ONE}/destinations`,
      operationId: 'listReservedRecipients',
      summary: 'List the recipients of a reservation',
      description: 'In the order in which they were added.',
      parameters: [resvKey, query('lastSeq', 'The lastSeq of the page before.', MSG_KEY), limit],
      success: success(
        {
          data: closedObject({
            destinations: {
              type: 'array',
              items: closedObject({
                msgKey: text('Key of the message.'),
                to: text('Recipient.'),
                sent: { type: 'boolean', description: 'Whether it went into the queue.' },
              }),
              description: 'Recipients.',
            },
            lastSeq: orNull(text('Where the next page begins.')),
            hasNext: { type: 'boolean', description: 'Whether there are more.' },
          }),
        },
        {
          data: {
            destinations: [{ msgKey: MSG_KEY, to: '01012345678', sent: false }],
            lastSeq: MSG_KEY,
            hasNext: false,
          },
        },
      ),
      codes: ONE_CODES,
    },
    {
      ...COMMON,
      method: 'delete',
      path: `${ONE}/destinations/msgKey/{msgKey}`,
      operationId: 'removeReservedRecipient',
      summary: 'Remove a recipient from a reservation',
      description:
        'While it is PENDING, STOPPED or HELD and the recipient has not been sent. It gets no message and no report.',
      parameters: [resvKey, pathParameter('msgKey', 'Key of the message.', MSG_KEY)],
      success: success(),
      codes: CHANGE_CODES,
    },
  ],
  schemas: { Reservation: closedObject(RESERVATION_FIELDS) },
};
