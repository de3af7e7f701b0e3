import { CHANNELS } from '../../domain/channels/channel.ts';
import { FATES } from '../../domain/delivery/fate.ts';
import { STEP_STATES } from '../../domain/delivery/lifecycle.ts';
import { ADVICE } from '../../domain/reports/report-advice.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { SEND_KINDS } from '../../domain/request/send-kinds.ts';
import { MOST_COUNTED, MOST_SELECTED } from '../../operate/message-order.ts';
import { MOST_RESENT } from '../../operate/resend.ts';
import { EXAMPLE_MSG_KEY, EXAMPLE_TIME } from '../../operations/common.ts';
import {
  closedObject,
  count,
  listOf,
  orNull,
  pageOf,
  reference,
  text,
  time,
} from '../../operations/schemas.ts';
import { CSV_TYPE } from '../envelope.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { CHANGE_CODES, cursor, limit, queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Messages', access: 'operator' } as const;
const MESSAGES = '/admin/v1/messages';
const NO_MESSAGE = 'There is no such message.';
const msgKey = pathParameter('msgKey', 'Key of the message.', EXAMPLE_MSG_KEY);
const SMS = { channel: 'sms', from: '0212345678', text: 'Your order has left.' };
const MESSAGE = { msgKey: EXAMPLE_MSG_KEY, account: 'shop', to: '01012345678', ref: 'order-1042' };

/** Histories have milliseconds. */
const EXAMPLE_MOMENT = '2026-03-02T09:30:00.042+09:00';

const state: JsonSchema = { type: 'string', enum: STEP_STATES, description: 'State of the current step.' };

const fate: JsonSchema = {
  type: 'string',
  enum: FATES,
  description:
    'What became of it. open: it has not ended. unsure: a carrier may have it and did not say whether it arrived. notTaken: no carrier took it, so sent again it cannot arrive twice. failed: a carrier took it and said that it did not arrive.',
};

const FILTERS = [
  queryParameter('key', 'Key of one message.', EXAMPLE_MSG_KEY),
  queryParameter('to', 'The whole number of the recipient, with or without dashes and +82.', '010-1234-5678'),
  queryParameter('ref', 'Reference of the client, exactly.', 'order-1042'),
  queryParameter('groupKey', 'Group of the client, exactly.', 'spring'),
  queryParameter('account', 'Account that sent it.', 'shop'),
  queryParameter('channel', 'Channel of any step.', 'sms'),
  queryParameter('lastChannel', 'Channel of the step that was the last.', 'sms'),
  queryParameter('carrier', 'Carrier of the current or last attempt.', 'simulator'),
  queryParameter('state', 'State of the current step, or several separated by commas.', 'failed,expired'),
  queryParameter('code', 'Report code of the last step.', '10000'),
  queryParameter('from', 'Accepted from this time on.', EXAMPLE_TIME),
  queryParameter('until', 'Accepted before this time.', '2026-03-03T09:30:00+09:00'),
];

/** Which messages are meant: those named, or those found. */
function orderedMessages(most: string): Readonly<Record<string, JsonSchema>> {
  return {
    msgKeys: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: MOST_SELECTED,
      description: 'Keys of messages.',
    },
    filters: {
      type: 'object',
      properties: Object.fromEntries(FILTERS.map(({ name, description }) => [name, text(description)])),
      description: 'Filters as in findMessages; at least one beside "state".',
    },
    most: { type: 'integer', minimum: 1, maximum: MOST_COUNTED, description: most },
  };
}

function exampleOf(masked: boolean): object {
  const to = masked ? '010****5678' : MESSAGE.to;
  const step = masked ? { ...SMS, text: '***' } : SMS;
  const { channel, ...fields } = step;
  return {
    ...MESSAGE,
    to,
    masked,
    flow: [step],
    rendered: [step],
    state: 'delivered',
    step: 0,
    attempt: 1,
    fate: 'delivered',
    advice: null,
    acceptedAt: EXAMPLE_MOMENT,
    timeline: [{ at: EXAMPLE_MOMENT, step: 0, attempt: 1, event: 'accepted', carrier: 'simulator' }],
    reports: [],
    resentAs: [],
    request: { method: 'POST', path: `/v1/send/${channel}`, body: { to, ...fields, ref: MESSAGE.ref } },
    response: { code: 'A000', result: 'Success', msgKey: EXAMPLE_MSG_KEY, ref: MESSAGE.ref },
  };
}

export const operatorMessagesDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: MESSAGES,
      operationId: 'findMessages',
      role: 'viewer',
      summary: 'Find messages',
      description:
        'Messages that match all filters, newest first. Each call does a bounded amount of work, so when matches are rare a page may be short or empty and still have a "next".',
      parameters: [...FILTERS, cursor(EXAMPLE_MSG_KEY), limit],
      success: success(
        { data: pageOf('messages', 'FoundMessage') },
        {
          data: {
            messages: [
              {
                ...MESSAGE,
                channels: ['sms'],
                step: 0,
                state: 'delivered',
                code: '10000',
                carrier: 'simulator',
                acceptedAt: EXAMPLE_TIME,
                finishedAt: '2026-03-02T09:30:01+09:00',
                fate: 'delivered',
              },
            ],
            next: null,
          },
        },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: `${MESSAGES}/export`,
      operationId: 'exportMessages',
      role: 'viewer',
      summary: 'Export found messages as CSV',
      description:
        'The same filters as findMessages. At most 10,000 rows; where there is more, the header Bongsu-Next has the cursor of the next part. Numbers are masked as in findMessages. Recorded in the audit log.',
      parameters: [...FILTERS, cursor(EXAMPLE_MSG_KEY)],
      success: [{ type: CSV_TYPE, schema: { type: 'string' }, examples: {} }],
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${MESSAGES}/resend`,
      operationId: 'resendMessages',
      role: 'operator',
      summary: 'Send failed messages again',
      description:
        'Messages that failed or expired, each under a new key that is linked to the old one: as they are, or all of them as the given copy. Recipient, replaceWords and reference are those of each message. To repeat a call is safe: a message that was sent again is refused, unless "again" is true.',
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            msgKeys: {
              type: 'array',
              items: { type: 'string' },
              minItems: 1,
              maxItems: MOST_RESENT,
              description: 'Keys of messages.',
            },
            again: { type: 'boolean', description: 'Also those that were sent again before.' },
            delivered: {
              type: 'boolean',
              description: 'Also those that turned out to be delivered after they had ended.',
            },
            copy: {
              type: 'object',
              description: 'What is sent instead; its recipients and its reference do not count.',
              properties: {
                kind: { type: 'string', enum: SEND_KINDS, description: 'The send, as in /v1/send/{kind}.' },
                body: { type: 'object', additionalProperties: true, description: 'Its body.' },
              },
              required: ['kind', 'body'],
            },
          },
          required: ['msgKeys'],
        },
        {
          'as they are': { msgKeys: [EXAMPLE_MSG_KEY] },
          'through a copy': {
            msgKeys: [EXAMPLE_MSG_KEY],
            copy: { kind: 'sms', body: { from: '0212345678', text: 'Your order has left.' } },
          },
        },
      ),
      success: success(
        {
          data: closedObject({
            results: listOf('ResendResult', 'One for each message, in the order given.'),
          }),
        },
        {
          data: {
            results: [
              {
                msgKey: EXAMPLE_MSG_KEY,
                newKey: '06C3QA11T2YYRC3W1V5N2X4K7M0PT000',
                code: 'A000',
                result: 'Success',
              },
            ],
          },
        },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${MESSAGES}/cancel`,
      operationId: 'cancelMessages',
      role: 'operator',
      summary: 'Cancel messages',
      description:
        'Messages that have not been handed to a carrier: those named, or those that match filters as in findMessages. With filters and without "most" they are only counted, up to 10,000; with "most" at most so many are cancelled, newest first, so never more than were seen. Each ends with report code 90001.',
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            ...orderedMessages('Cancels at most so many; without it they are counted.'),
          },
        },
        {
          'those selected': { msgKeys: [EXAMPLE_MSG_KEY] },
          'count them': { filters: { account: 'shop', groupKey: 'spring' } },
          'cancel them': { filters: { account: 'shop', groupKey: 'spring' }, most: 1200 },
        },
      ),
      success: success(
        {
          data: closedObject({
            cancellable: count('Messages that could be cancelled; 0 where some were cancelled.'),
            cancelled: count('Messages that were cancelled.'),
            tooLate: count('Messages that were handed to a carrier, or ended, before.'),
            isMore: { type: 'boolean', description: 'Whether there may be more that match the filters.' },
          }),
        },
        { data: { cancellable: 0, cancelled: 1, tooLate: 0, isMore: false } },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${MESSAGES}/settle`,
      operationId: 'settleMessages',
      role: 'operator',
      summary: 'Settle messages by hand',
      description:
        'Messages whose outcome is unknown, once the carrier has said what became of them: those named, or those that match filters as in findMessages. With filters and without "most" they are only counted, up to 10,000; with "most" at most so many are settled, newest first. The state "submitted" (taken by the carrier, no receipt) can be settled as well: by keys, or with the filter "state". Each ends with a report; one that failed goes on with its fallback. The order is in the audit log before anything is settled, and what was done after it.',
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            ...orderedMessages('Settles at most so many; without it they are counted.'),
            outcome: {
              type: 'string',
              enum: ['delivered', 'failed'],
              description: 'What became of them. Not needed to count them, nor are "code" and "reason".',
            },
            code: text('Report code of those that failed: one of the channel that each is at.'),
            reason: text(
              '5 to 200 characters on one line, for the audit log and the timelines of the messages.',
            ),
          },
        },
        {
          'those that failed': {
            msgKeys: [EXAMPLE_MSG_KEY],
            ...{ outcome: 'failed', code: '23014', reason: 'sky says they were lost in its outage' },
          },
          'count the unknown': { filters: { carrier: 'sky', from: EXAMPLE_TIME } },
          'settle the unknown': {
            filters: { carrier: 'sky', from: EXAMPLE_TIME },
            ...{ most: 400, outcome: 'delivered', reason: 'sky has sent the list of its outage' },
          },
        },
      ),
      success: success(
        {
          data: closedObject({
            settleable: count('Messages that could be settled; 0 where some were settled.'),
            settled: count('Messages that were settled.'),
            tooLate: count('Messages that had ended, or gone another way, before.'),
            isMore: { type: 'boolean', description: 'Whether there may be more that match the filters.' },
          }),
        },
        { data: { settleable: 0, settled: 1, tooLate: 0, isMore: false } },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: `${MESSAGES}/{msgKey}`,
      operationId: 'readMessage',
      role: 'viewer',
      summary: 'Show a message and its history',
      description:
        'Its request, its state, its whole history, and a request that would send it again. Number and texts are masked, except for an admin where BONGSU_MASKING says so.',
      parameters: [msgKey],
      success: success({ data: reference('MessageView') }, { data: exampleOf(true) }),
      codes: READ_CODES,
      notFound: NO_MESSAGE,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${MESSAGES}/{msgKey}/reveal`,
      operationId: 'revealMessage',
      role: 'operator',
      summary: 'Show a message without masks',
      description: 'Number and texts in clear. The reason is in the audit log before the answer is given.',
      parameters: [msgKey],
      request: jsonRequest(
        {
          type: 'object',
          properties: { reason: text('5 to 200 characters on one line.') },
          required: ['reason'],
        },
        { 'a complaint': { reason: 'The recipient complains about a wrong amount' } },
      ),
      success: success({ data: reference('MessageView') }, { data: exampleOf(false) }),
      codes: CHANGE_CODES,
      notFound: NO_MESSAGE,
    },
  ],
  schemas: {
    MessageHistory: closedObject(
      {
        at: time('When it happened, with milliseconds.'),
        step: count('Position in the flow, from 0.'),
        attempt: count('Attempt at the step.'),
        event: text('What happened.'),
        carrier: text('Carrier that was used.'),
        code: text('Report code.'),
        why: text('The reason.'),
        until: time('When a step that was postponed may go out.'),
        parts: text(
          'Receipts of the parts of a long text, when its step ended and later: "+" delivered, "." not.',
        ),
      },
      ['carrier', 'code', 'why', 'until', 'parts'],
    ),
    ChannelMessage: {
      type: 'object',
      description: 'A channel message in its normal form.',
      properties: { channel: { type: 'string', enum: CHANNELS } },
      required: ['channel'],
      additionalProperties: true,
    },
    FoundMessage: closedObject(
      {
        msgKey: text('Key of the message.'),
        account: text('Account that sent it.'),
        to: text('Recipient; masked unless the operator may see it.'),
        ref: text('Reference of the client.'),
        groupKey: text('Group of the client.'),
        channels: { type: 'array', items: { type: 'string', enum: CHANNELS }, description: 'In send order.' },
        step: count('Current position in the flow, from 0.'),
        state,
        code: orNull(text('Report code of the last step; null while it is not finished.')),
        carrier: orNull(text('Carrier of the current or last attempt.')),
        acceptedAt: time('When it was accepted.'),
        finishedAt: orNull(time('When it ended.')),
        fate,
        resendOf: text('The message in whose place it was sent.'),
        resentAs: text('The last message that was sent in its place.'),
      },
      ['ref', 'groupKey', 'resendOf', 'resentAs'],
    ),
    ResendResult: closedObject({
      msgKey: text('Key of the old message.'),
      newKey: orNull(text('Key of the new message; null if it was not sent.')),
      code: text('Result code.'),
      result: text('Text of the code, or the reason.'),
    }),
    MessageView: closedObject(
      {
        msgKey: text('Key of the message.'),
        account: text('Account that sent it.'),
        masked: { type: 'boolean', description: 'Whether number and texts are masked.' },
        to: text('Recipient.'),
        replaceWords: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'replaceWords of the recipient.',
        },
        ref: text('Reference of the client.'),
        groupKey: text('Group of the client.'),
        paymentCode: text('Settlement department of the client.'),
        flow: listOf('ChannelMessage', 'Channel messages in send order, with their placeholders.'),
        rendered: listOf(
          'ChannelMessage',
          'Each channel message as the recipient gets it; none once the text has been removed.',
        ),
        textRemovedAt: time(
          'When its text was removed (BONGSU_TEXT_RETENTION); "flow" then has the channels only, and there is no "request" and "response".',
        ),
        acceptedAt: time('When it was accepted.'),
        state,
        step: count('Current position in the flow, from 0.'),
        attempt: count('Attempt at the current step.'),
        fate,
        advice: {
          type: ['string', 'null'],
          enum: [...ADVICE, null],
          description: 'What to do about it; null unless it failed.',
        },
        timeline: listOf('MessageHistory', 'Its whole history.'),
        resendOf: text('The message in whose place it was sent.'),
        resentAs: {
          type: 'array',
          items: { type: 'string' },
          description: 'The messages that were sent in its place, oldest first.',
        },
        reports: listOf('InquiredReport', 'Every record, as in the inquiry.'),
        request: closedObject({
          method: { const: 'POST' },
          path: text('Path of a send.'),
          body: { type: 'object', additionalProperties: true, description: 'An equivalent body.' },
        }),
        response: {
          type: 'object',
          additionalProperties: true,
          description: 'The answer to that request.',
        },
      },
      ['replaceWords', 'ref', 'groupKey', 'paymentCode', 'textRemovedAt', 'resendOf', 'request', 'response'],
    ),
  },
};
