import type { ResultCode } from '../../domain/request/result-codes.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { CODES_OF_SEND } from '../../operations/codes.ts';
import { closedObject, reference, text } from '../../operations/schemas.ts';
import { type ApiParameter, jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import { REQUEST_COMPONENTS, sendSchema } from '../openapi/request-schemas.ts';
import { SEND_EXAMPLES } from './send-examples.ts';

const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
const REF = 'order-1042';

export const idempotencyKey: ApiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes it safe to repeat a send: within 24 hours, the same key with the same body returns the first answer again, with the header Idempotent-Replayed: true; with another body it is refused with A301. The key is looked up first: the first answer comes whatever has changed since, such as the time or a form.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: 'order-1042-shipped',
};

const SINGLE = success(
  {
    msgKey: text('Key of the message.'),
    resvKey: text('Key of the reservation, if resvSendTime was given.'),
    ref: text('Reference, if one was given.'),
  },
  { msgKey: MSG_KEY, ref: REF },
  ['resvKey', 'ref'],
);

const OMNI = success(
  {
    data: closedObject(
      {
        resvKey: text('Key of the reservation, if resvSendTime was given.'),
        destinations: { type: 'array', items: reference('Destination') },
      },
      ['resvKey'],
    ),
    ref: text('Reference, if one was given.'),
  },
  {
    data: {
      destinations: [
        { to: '01012345678', msgKey: MSG_KEY, code: 'A000', result: 'Success' },
        {
          to: '0101',
          msgKey: null,
          code: 'A306',
          result: '"to" must be a domestic number such as 01012345678',
        },
      ],
    },
    ref: REF,
  },
  ['ref'],
);

const WORDS: Readonly<
  Record<SendKind, readonly [operationId: string, summary: string, description: string]>
> = {
  sms: ['sendSms', 'Send an SMS', 'Domestic text of at most 90 EUC-KR bytes.'],
  mms: [
    'sendMms',
    'Send an LMS or MMS',
    'Domestic text of at most 2000 EUC-KR bytes, with up to three images.',
  ],
  international: [
    'sendInternational',
    'Send an international SMS',
    'At most five parts: 160 characters in one part and 153 in each of several, or 70 and 67 outside the GSM alphabet.',
  ],
  rcs: [
    'sendRcs',
    'Send an RCS message',
    'Simple style with content, or expert style with body and buttons. The formatId decides the limits; an id that is not in the table of formats is an issued template. The fallback is sent if RCS fails.',
  ],
  alimtalk: ['sendAlimtalk', 'Send an alimtalk', 'A notification based on an approved template.'],
  friendtalk: ['sendFriendtalk', 'Send a friendtalk', 'A free-form message to friends of the channel.'],
  brandmessage: [
    'sendBrandmessage',
    'Send a brandmessage',
    'Like friendtalk, but it can also reach people who are not friends of the channel.',
  ],
  omni: [
    'sendOmni',
    'Send a flow to up to ten recipients',
    'Messages in order, each the fallback of the one before. Give messageFlow, or messageForm with the id of a saved form. #{key} is replaced by the replaceWords of each recipient. Each recipient has a result code of its own: if one is refused, the others are still sent. What every recipient would be refused for refuses the request.',
  ],
};

export const sendDocument: ResourceDocument = {
  operations: SEND_KINDS.map(kind => {
    const [operationId, summary, description] = WORDS[kind];
    const codes: readonly ResultCode[] = CODES_OF_SEND[kind];
    return {
      method: 'post',
      path: `/v1/send/${kind}`,
      operationId,
      tag: 'Send',
      summary,
      description: `${description} In the sandbox the last four digits of the recipient decide the outcome.`,
      access: 'account',
      parameters: [idempotencyKey],
      request: jsonRequest(sendSchema(kind), SEND_EXAMPLES[kind]),
      success: kind === 'omni' ? OMNI : SINGLE,
      codes,
    };
  }),
  schemas: {
    ...REQUEST_COMPONENTS,
    Destination: closedObject(
      {
        to: text('Recipient as given in the request.'),
        msgKey: { type: ['string', 'null'], description: 'Key of the message; null when it was refused.' },
        code: { type: 'string', pattern: '^A\\d{3}$', description: 'Result for this recipient.' },
        result: text('Text of the code.'),
        ref: text('Reference of the recipient, if it has one of its own.'),
      },
      ['ref'],
    ),
  },
};
