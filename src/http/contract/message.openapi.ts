import { CHANNELS, serviceTypeOf } from '../../domain/channels/channel.ts';
import { STEP_STATES } from '../../domain/delivery/lifecycle.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { CALL_CODES } from '../../operations/codes.ts';
import { closedObject, count, listOf, orNull, reference, text, time } from '../../operations/schemas.ts';
import { MOST_A_PAGE, OUTCOMES } from '../../report/own-query.ts';
import { MOST_DAYS } from '../../report/own-statistics.ts';
import { wireMembersFor } from '../../report/wire-record.ts';
import { CSV_TYPE } from '../envelope.ts';
import { type ApiParameter, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { reportMemberSchema } from './report.openapi.ts';

const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
const REQUEST_ID = MSG_KEY.slice(0, -3);
const AT = '2026-03-02T09:30:00+09:00';

const COMMON = { tag: 'Message', access: 'account' } as const;
const msgKey = pathParameter('msgKey', 'Key of the message.', MSG_KEY);
const requestId = pathParameter('requestId', 'A msgKey without its last three characters.', REQUEST_ID);
const state: JsonSchema = {
  type: 'string',
  enum: STEP_STATES,
  description: 'State of the channel message; see docs/message-lifecycle.md.',
};

const query = (name: string, description: string, example: string): ApiParameter => {
  return { name, in: 'query', description, schema: { type: 'string' }, example };
};

const SERVICE_TYPES = CHANNELS.map(serviceTypeOf).join(', ');
const serviceType = query(
  'serviceType',
  `Channels in the flow: some of ${SERVICE_TYPES}, separated by commas.`,
  'SMS',
);

const FILTERS = [
  query(
    'requestTime',
    'Accepted from this time on; of a reserved message the time for which it was first reserved.',
    AT,
  ),
  query(
    'until',
    'Accepted before this time; of a reserved message as in requestTime.',
    '2026-03-03T09:30:00+09:00',
  ),
  serviceType,
  query('groupKey', 'Group given with the send.', 'spring'),
  query('ref', 'Reference given with the send, exactly.', 'order-1042'),
  query('to', 'The whole number of the recipient, with or without dashes and +82.', '010-1234-5678'),
  query('outcome', `One of ${Object.keys(OUTCOMES).join(', ')}.`, 'failed'),
  query('reportCode', 'Report code of the last channel message.', '10000'),
];

const STATUS = {
  msgKey: MSG_KEY,
  serviceType: 'SMS',
  msgType: 'SM',
  to: '01012345678',
  fallback: 'N',
  state: 'delivered',
  responseCode: 'A000',
  responseText: 'Success',
  requestTime: AT,
  sendTime: AT,
  reportTime: '2026-03-02T09:30:01+09:00',
  reportType: '0',
  reportCode: '10000',
  reportText: 'Delivered',
  carrier: '10001',
  ref: 'order-1042',
  groupKey: 'spring',
};
const { msgType: _msgType, sendTime: _sendTime, carrier: _carrier, ...SUMMARY } = STATUS;

const MESSAGES = closedObject({ messages: listOf('MessageStatus', 'Channel messages.') });
const NO_MESSAGE = 'There is no such message of the account.';

export const messageDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/v1/message/history',
      operationId: 'readHistory',
      summary: 'List sent messages',
      description:
        'Messages that match all filters, newest first, with the channel message that each is at. While "hasNext" is true, call again with "lastSeq"; a page may be short or empty and still have a next one.',
      parameters: [
        ...FILTERS,
        query('lastSeq', 'The lastSeq of the page before.', MSG_KEY),
        query('limit', `Most messages of one page, 1 to ${MOST_A_PAGE}; 100 if not given.`, '100'),
      ],
      success: success(
        {
          data: closedObject({
            messages: listOf('MessageStatus', 'Newest first.'),
            lastSeq: orNull(text('Where to continue; null on the last page.')),
            hasNext: { type: 'boolean', description: 'Whether there may be more.' },
          }),
        },
        { data: { messages: [SUMMARY], lastSeq: null, hasNext: false } },
      ),
      codes: CALL_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/message/history/export',
      operationId: 'exportHistory',
      summary: 'Export sent messages as CSV',
      description:
        'The same filters as the list, without an end to the number of rows: it is streamed. A file that breaks off is not complete.',
      parameters: FILTERS,
      success: [{ type: CSV_TYPE, schema: { type: 'string' }, examples: {} }],
      codes: CALL_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/message/statistics',
      operationId: 'readOwnStatistics',
      summary: 'Count messages by day, channel and outcome',
      description: `At most ${MOST_DAYS} days; today if none is given. A message belongs to the day on which it was accepted. Counted within seconds: see countedUntil.`,
      parameters: [
        query('startDate', 'First day, yyyyMMdd.', '20260301'),
        query('endDate', 'Last day, yyyyMMdd; today if not given.', '20260302'),
        query('serviceType', `Some of ${SERVICE_TYPES}, separated by commas.`, 'SMS'),
      ],
      success: success(
        { data: reference('OwnStatistics') },
        {
          data: {
            statistics: [
              {
                statDate: '20260302',
                serviceType: 'SMS',
                recvTotalCnt: 120,
                reportTotalCnt: 120,
                reportSuccCnt: 118,
                reportFailCnt: 2,
                outcomes: [
                  { reportCode: '10000', reportText: 'Delivered', cnt: 118 },
                  { reportCode: '23001', reportText: 'No such subscriber', cnt: 2 },
                ],
              },
            ],
            countedUntil: AT,
          },
        },
      ),
      codes: CALL_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/message/inquiry/msgKey/{msgKey}',
      operationId: 'inquireMessage',
      summary: 'Look up the channel messages of one message',
      description:
        'One entry for each channel message that was tried or is in progress; none if the key is unknown.',
      parameters: [msgKey],
      success: success({ data: MESSAGES }, { data: { messages: [STATUS] } }),
      codes: CALL_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/message/inquiry/requestId/{requestId}',
      operationId: 'inquireRequest',
      summary: 'Look up the messages of one request',
      description:
        'One entry for each recipient, in the order of the request, with the channel message that it is at; none if the request is unknown.',
      parameters: [requestId],
      success: success({ data: MESSAGES }, { data: { messages: [SUMMARY] } }),
      codes: CALL_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/v1/message/{msgKey}',
      operationId: 'readOwnMessage',
      summary: 'Show a message',
      description: 'The message, its state, and its channel messages so far.',
      parameters: [msgKey],
      success: success(
        { data: reference('OwnMessage') },
        {
          data: {
            msgKey: MSG_KEY,
            requestId: REQUEST_ID,
            to: STATUS.to,
            ref: STATUS.ref,
            groupKey: STATUS.groupKey,
            state: STATUS.state,
            requestTime: AT,
            messages: [STATUS],
          },
        },
      ),
      codes: CALL_CODES,
      notFound: NO_MESSAGE,
    },
    {
      ...COMMON,
      method: 'post',
      path: '/v1/message/{msgKey}/cancel',
      operationId: 'cancelMessage',
      summary: 'Cancel a message',
      description:
        'A message that has not been handed to a carrier ends with report code 90001, and nothing more of its flow is sent. A825 says why it is too late. To repeat a call is safe. One that waits in a reservation is taken out of it and has no report; A824 if its reservation is being sent.',
      parameters: [msgKey],
      success: success(
        { data: closedObject({ msgKey: text('Key of the message.'), state }) },
        { data: { msgKey: MSG_KEY, state: 'failed' } },
      ),
      codes: [...CALL_CODES, 'A824', 'A825', 'A920'],
      notFound: NO_MESSAGE,
    },
    {
      ...COMMON,
      method: 'post',
      path: '/v1/message/requestId/{requestId}/cancel',
      operationId: 'cancelRequest',
      summary: 'Cancel all messages of a request',
      description:
        'Each recipient has a result of its own: A000, or A825 and why it is too late. Those that wait in a reservation are taken out of it; A824 if it is being sent.',
      parameters: [requestId],
      success: success(
        {
          data: closedObject({
            cancelledCnt: count('Messages that are cancelled.'),
            messages: listOf('CancelResult', 'In the order of the request.'),
          }),
        },
        {
          data: {
            cancelledCnt: 1,
            messages: [{ msgKey: MSG_KEY, code: 'A000', result: 'Success', state: 'failed' }],
          },
        },
      ),
      codes: [...CALL_CODES, 'A824', 'A920'],
      notFound: 'There is no such request of the account.',
    },
  ],
  schemas: {
    MessageStatus: statusSchema(),
    OwnMessage: closedObject(
      {
        msgKey: text('Key of the message.'),
        requestId: text('Shared by the recipients of one request.'),
        to: text('Recipient.'),
        ref: text('Reference given with the send.'),
        groupKey: text('Group given with the send.'),
        paymentCode: text('Settlement department given with the send.'),
        state: {
          type: 'string',
          enum: [...STEP_STATES, 'reserved'],
          description:
            'State of the message; see docs/message-lifecycle.md. `reserved`: it waits for its time.',
        },
        resvKey: text('Reservation in which it waits.'),
        resvSendTime: time('When it is to be sent.'),
        requestTime: time('When it was accepted.'),
        messages: listOf('MessageStatus', 'One for each channel message that was tried or is in progress.'),
      },
      ['ref', 'groupKey', 'paymentCode', 'resvKey', 'resvSendTime'],
    ),
    CancelResult: closedObject({
      msgKey: text('Key of the message.'),
      code: text('A000, or A825 if it is too late.'),
      result: text('Text of the code, or the reason.'),
      state,
    }),
    OwnStatistics: closedObject({
      statistics: listOf('DayStatistics', 'By day and channel.'),
      countedUntil: orNull(time('What was accepted before is counted; null if nothing is yet.')),
    }),
    DayStatistics: closedObject({
      statDate: text('The day, yyyyMMdd.'),
      serviceType: text('Channel, such as SMS or RCS.'),
      recvTotalCnt: count('Messages accepted, by the first channel of their flow.'),
      reportTotalCnt: count('Channel messages that ended.'),
      reportSuccCnt: count('Of these, delivered.'),
      reportFailCnt: count('Of these, not delivered.'),
      outcomes: {
        type: 'array',
        description: 'Channel messages that ended, by report code.',
        items: closedObject({
          reportCode: text('Report code.'),
          reportText: text('The code in words.'),
          cnt: count('Channel messages.'),
        }),
      },
    }),
  },
};

/** A report record with what is known of its message; lists have less of it. */
function statusSchema(): JsonSchema {
  const members = wireMembersFor('spec', 'inquiry').map(([name, member]) => [
    name,
    reportMemberSchema(member),
  ]);
  const properties = {
    ...(Object.fromEntries(members) as Record<string, JsonSchema>),
    to: text('Recipient.'),
    fallback: { type: 'string', enum: ['Y', 'N'], description: 'Y: sent because the one before it failed.' },
    state,
    responseCode: text('Result code of the request.'),
    responseText: text('Text of the code.'),
    requestTime: time('When it was accepted.'),
  };
  const always = [
    'msgKey',
    'serviceType',
    'to',
    'fallback',
    'state',
    'responseCode',
    'responseText',
    'requestTime',
  ];
  return closedObject(
    properties,
    Object.keys(properties).filter(name => !always.includes(name)),
  );
}
