import { INBOUND_HANDOVERS } from '../../operate/inbound.ts';
import { EXAMPLE_MSG_KEY, EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, orNull, pageOf, reference, text, time } from '../../operations/schemas.ts';
import { jsonRequest, pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { CHANGE_CODES, cursor, limit, queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Messages', access: 'operator' } as const;
const INBOUND = '/admin/v1/inbound';
const NO_MESSAGE = 'There is no such message.';
const inboundKey = pathParameter('inboundKey', 'Key of the message.', EXAMPLE_MSG_KEY);

const EXAMPLE = {
  msgKey: EXAMPLE_MSG_KEY,
  account: 'shop',
  carrier: 'simulator',
  to: '15881234',
  from: '010****5678',
  text: '***',
  keyword: '*',
  receivedAt: EXAMPLE_TIME,
  handover: 'waiting',
  fetchedAt: null,
  replyKey: null,
  replyProblem: null,
  masked: true,
};
const REVEALED = { ...EXAMPLE, from: '01012345678', text: 'When do you open?', masked: false };

export const operatorInboundDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: INBOUND,
      operationId: 'findInbound',
      role: 'viewer',
      summary: 'List inbound messages',
      description: 'Messages received on account numbers, newest first. Numbers and texts are masked.',
      parameters: [
        queryParameter('account', 'Account it belongs to; none for those that match no account.', 'shop'),
        queryParameter(
          'from',
          'The whole number of the sender, with or without dashes and +82.',
          '010-1234-5678',
        ),
        queryParameter('to', 'The number that was written to.', '15881234'),
        cursor(EXAMPLE_MSG_KEY),
        limit,
      ],
      success: success(
        { data: pageOf('messages', 'FoundInbound') },
        { data: { messages: [EXAMPLE], next: null } },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${INBOUND}/{inboundKey}/reveal`,
      operationId: 'revealInbound',
      role: 'operator',
      summary: 'Show an inbound message without masks',
      description: 'Number and text in clear. The reason is in the audit log before the answer is given.',
      parameters: [inboundKey],
      request: jsonRequest(
        {
          type: 'object',
          properties: { reason: text('5 to 200 characters on one line.') },
          required: ['reason'],
        },
        { 'nobody’s number': { reason: 'To find out whose number it is' } },
      ),
      success: success({ data: reference('FoundInbound') }, { data: REVEALED }),
      codes: CHANGE_CODES,
      notFound: NO_MESSAGE,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${INBOUND}/{inboundKey}/assign`,
      operationId: 'assignInbound',
      role: 'operator',
      summary: 'Give an unmatched message to an account',
      description: 'The account then gets it by polling or webhook, as if the number had been registered.',
      parameters: [inboundKey],
      request: jsonRequest(
        { type: 'object', properties: { account: text('Id of the account.') }, required: ['account'] },
        { 'to the shop': { account: 'shop' } },
      ),
      success: success({ data: reference('FoundInbound') }, { data: EXAMPLE }),
      codes: CHANGE_CODES,
      notFound: 'There is no such message or account.',
    },
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/simulator/inbound',
      operationId: 'simulateInbound',
      role: 'operator',
      summary: 'Simulate an inbound message',
      description: 'For the sandbox: a message of a person to a number, as a real network would bring it.',
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            from: text('Number of the handset.'),
            to: text('Number that is written to.'),
            text: text('What it says, at most 2000 characters.'),
          },
          required: ['from', 'to', 'text'],
        },
        { 'a question': { from: '01012345678', to: '15881234', text: 'When do you open?' } },
      ),
      success: success(
        {
          data: closedObject({
            msgKey: text('Key of the message.'),
            account: orNull(text('Account it belongs to; null if the number is not registered.')),
            to: text('Number that was written to.'),
          }),
        },
        { data: { msgKey: EXAMPLE_MSG_KEY, account: 'shop', to: '15881234' } },
      ),
      codes: CHANGE_CODES,
    },
  ],
  schemas: {
    FoundInbound: closedObject({
      msgKey: text('Key of the message.'),
      account: orNull(text('Account it belongs to; null if the number is not registered.')),
      carrier: text('Carrier that brought it.'),
      to: text('The number that was written to.'),
      from: text('Number of the sender; masked unless it was revealed.'),
      text: orNull(text('Text; masked unless it was revealed. Null when its time is over.')),
      keyword: orNull(text('Keyword that decided whose it is; * for the whole number.')),
      receivedAt: time('When it was received.'),
      handover: {
        type: 'string',
        enum: INBOUND_HANDOVERS,
        description:
          'unmatched: the number is not registered; waiting: to be fetched or pushed; fetched; pushed: handed to the webhook; expired: not fetched in time.',
      },
      fetchedAt: orNull(time('When it was fetched by polling.')),
      replyKey: orNull(text('Key of the automatic reply.')),
      replyProblem: orNull(
        text('Why no automatic reply was sent: a result code, late, tooMany, blocked or restored.'),
      ),
      masked: { type: 'boolean', description: 'Whether number and text are masked.' },
    }),
  },
};
