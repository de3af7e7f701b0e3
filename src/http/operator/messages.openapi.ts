import { type ApiOperation, pathParameter, reference, success } from '../openapi/operation.ts';
import { pageOf } from '../openapi/operator-schemas.ts';
import {
  cursor,
  EXAMPLE_MSG_KEY,
  EXAMPLE_TIME,
  limit,
  queryParameter,
  READ_CODES,
} from './operation.openapi.ts';

const COMMON = { method: 'get', tag: 'Messages', access: 'operator' } as const;
const SMS = { channel: 'sms', from: '0212345678', text: 'Your order has left.' };
const MESSAGE = { msgKey: EXAMPLE_MSG_KEY, account: 'shop', to: '01012345678', ref: 'order-1042' };

export const MESSAGE_OPERATIONS: readonly ApiOperation[] = [
  {
    ...COMMON,
    path: '/admin/v1/messages',
    operationId: 'findMessages',
    summary: 'Find messages',
    description:
      'Those that meet every filter given, newest first. A search for something rare does a bounded amount of work a call: a page may be short, or empty, and still have a next.',
    parameters: [
      queryParameter('key', 'Key of one message.', EXAMPLE_MSG_KEY),
      queryParameter('to', 'Recipient, exactly.', '01012345678'),
      queryParameter('ref', 'Reference of the client, exactly.', 'order-1042'),
      queryParameter('account', 'Account that sent it.', 'shop'),
      queryParameter('channel', 'Channel of any step.', 'sms'),
      queryParameter('state', 'State of the current step.', 'delivered'),
      queryParameter('code', 'Report code of the last step.', '10000'),
      queryParameter('from', 'Accepted from this time on.', EXAMPLE_TIME),
      queryParameter('until', 'Accepted before this time.', '2026-03-03T09:30:00+09:00'),
      cursor(EXAMPLE_MSG_KEY),
      limit,
    ],
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
    path: '/admin/v1/messages/{msgKey}',
    operationId: 'readMessage',
    summary: 'One message and its history',
    description:
      'What was asked, where it stands, everything that happened to it, and a request that would send it again.',
    parameters: [pathParameter('msgKey', 'Key of the message.', EXAMPLE_MSG_KEY)],
    success: success(
      { data: reference('MessageView') },
      {
        data: {
          ...MESSAGE,
          flow: [SMS],
          rendered: [SMS],
          state: 'delivered',
          step: 0,
          attempt: 1,
          acceptedAt: EXAMPLE_TIME,
          timeline: [{ at: EXAMPLE_TIME, step: 0, attempt: 1, event: 'accepted', carrier: 'simulator' }],
          reports: [],
          request: {
            method: 'POST',
            path: '/v1/send/sms',
            body: { to: '01012345678', from: SMS.from, text: SMS.text, ref: 'order-1042' },
          },
          response: { code: 'A000', result: 'Success', msgKey: EXAMPLE_MSG_KEY, ref: 'order-1042' },
        },
      },
    ),
    codes: READ_CODES,
    notFound: 'There is no such message.',
  },
];
