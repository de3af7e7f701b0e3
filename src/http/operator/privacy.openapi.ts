import { EXAMPLE_TIME } from '../../operations/common.ts';
import {
  closedObject,
  count,
  flag,
  listOf,
  orNull,
  reference,
  text,
  time,
} from '../../operations/schemas.ts';
import { type ApiContent, jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import { CHANGE_CODES, NO_ACCOUNT, READ_CODES } from './operation.openapi.ts';
import { BYTES_TYPE } from './streamed-file.ts';

const COMMON = { tag: 'Privacy', access: 'operator', role: 'admin' } as const;
const RECIPIENT = '010-1234-5678';
const SUBJECT = {
  recipient: text('Phone number, in any writing.'),
  account: orNull(text('Only what this account sent.')),
};
const subject = jsonRequest(
  { type: 'object', properties: SUBJECT, required: ['recipient'] },
  { everywhere: { recipient: RECIPIENT }, ofAccount: { recipient: RECIPIENT, account: 'shop' } },
);
const FILE: ApiContent = {
  type: BYTES_TYPE,
  schema: {
    type: 'string',
    contentMediaType: 'application/json',
    description: 'Messages, receipts, reservations and opt-outs of the number.',
  },
  examples: {},
};
const FOUND = { parkedReceipts: 0, setAside: 0, inbound: 0, reserved: 0, optOuts: 1 };
const ERASED = {
  ...{ messages: 11, texts: 9, sharedTexts: 2, refs: 11, references: 4, answers: 1, open: 1 },
  ...{ ...FOUND, keptOptOuts: 1, images: 0, unreadable: 0 },
};

export const operatorPrivacyDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/privacy/holdings',
      operationId: 'countHoldings',
      summary: 'Count what is kept of a recipient',
      description: 'The number is found however it is written. Nothing is changed.',
      request: subject,
      success: success({ data: reference('Holdings') }, { data: { ended: 11, open: 1, ...FOUND } }),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/privacy/exports',
      operationId: 'exportRecipient',
      summary: 'Export everything that is kept of a recipient',
      description: 'A JSON file of any length, not in the envelope. If it ends early the connection breaks.',
      request: subject,
      success: [FILE],
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: '/admin/v1/privacy/erasures',
      operationId: 'eraseRecipient',
      summary: 'Erase a recipient from all messages',
      description: 'Pending messages follow when they have ended. This cannot be undone.',
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            ...SUBJECT,
            images: flag('Also delete uploaded images that nobody else was sent in the same request.'),
          },
          required: ['recipient'],
        },
        { everywhere: { recipient: RECIPIENT }, withImages: { recipient: RECIPIENT, images: true } },
      ),
      success: success(
        { data: reference('Erasure') },
        { data: { order: '7Q0V5ZK2M9RT', counts: ERASED, keptImages: [], isScrubbed: true } },
      ),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/privacy/erasures',
      operationId: 'listErasures',
      summary: 'List the orders to erase',
      description: 'The newest 100, newest first.',
      success: success(
        { data: closedObject({ orders: listOf('ErasureOrder', 'Newest first.') }) },
        {
          data: {
            orders: [
              {
                id: '7Q0V5ZK2M9RT',
                orderedAt: EXAMPLE_TIME,
                recipient: '010****5678',
                account: null,
                messages: 11,
                open: 1,
                rest: 0,
                state: 'waiting',
                endedAt: null,
              },
            ],
          },
        },
      ),
      codes: READ_CODES,
    },
  ],
  schemas: {
    Holdings: closedObject({
      ended: count('Messages that have ended.'),
      open: count('Pending messages.'),
      parkedReceipts: count('Receipts without a message.'),
      setAside: count('Answers and receipts that could not be stored.'),
      inbound: count('Messages from this number.'),
      reserved: count('Reserved messages.'),
      optOuts: count('Opt-outs, ended ones included.'),
    }),
    Erasure: closedObject({
      order: text('Id of the order.'),
      counts: closedObject({
        messages: count('Messages without their recipient.'),
        texts: count('Texts removed.'),
        sharedTexts: count('Texts kept, because others got them.'),
        refs: count('Client references removed.'),
        references: count('Carrier references without the number.'),
        answers: count('Stored answers without the number.'),
        open: count('Pending messages: they follow.'),
        parkedReceipts: count('Receipts removed.'),
        setAside: count('Set-aside events without the number.'),
        inbound: count('Messages from this number removed.'),
        reserved: count('Reserved messages removed.'),
        optOuts: count('Ended opt-outs removed.'),
        keptOptOuts: count('Opt-outs that stay: without them advertisements would come again.'),
        images: count('Images deleted.'),
        unreadable: count('What cannot be read: it is left to the order.'),
      }),
      keptImages: {
        type: 'array',
        description: 'Images of removed texts that stay.',
        items: closedObject({ fileKey: text('Key of the file.'), reason: text('Why it stays.') }),
      },
      isScrubbed: flag(
        'Whether nothing of it is left in logs or free space of the database. Otherwise it is tried again.',
      ),
    }),
    ErasureOrder: closedObject({
      id: text('Id of the order.'),
      orderedAt: time('When it was given.'),
      recipient: text('The number, masked.'),
      account: orNull(text('Only messages of this account.')),
      messages: count('Messages without their recipient so far.'),
      open: count('Pending messages, which follow.'),
      rest: count('Images, what cannot be read, and files of the database that are not done yet.'),
      state: { type: 'string', enum: ['done', 'waiting', 'not finished'], description: 'How far it is.' },
      endedAt: orNull(time('When nothing was left.')),
    }),
  },
};
