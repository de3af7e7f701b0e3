/** What the API document says about opt-outs, for accounts and operators alike. */
import { MOST_LISTED } from '../accept/opt-out-query.ts';
import { OPT_OUT_COVERS, OPT_OUT_WAYS } from '../domain/delivery/opt-out.ts';
import { MOST_OPT_OUTS_A_CALL } from '../domain/delivery/opt-out-request.ts';
import type { JsonSchema } from '../domain/request/fields.ts';
import { closedObject, count, orNull, pageOf, reference, text, time } from '../operations/schemas.ts';
import { CSV_TYPE } from './envelope.ts';
import { type ApiContent, type ApiParameter, jsonRequest, success } from './openapi/operation.ts';

const WAYS =
  'keyword: a text of the recipient; call: a call to the free number; api, csv, operator: by hand.';
const ways: JsonSchema = { type: 'string', enum: OPT_OUT_WAYS };
const covers: JsonSchema = {
  type: 'string',
  enum: OPT_OUT_COVERS,
  description: 'What is refused: advertisements, or all messages. Default advertisements.',
};
const to = text('Recipient.');
const sender = text('Sender number, sender key or brand key it is about; * for all senders, the default.');

export const OPT_OUT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  OptOut: closedObject({
    id: text('Id of the entry.'),
    to,
    sender,
    covers,
    source: orNull(text('Key of the inbound message, or the free number that was called.')),
    since: time('Since when.'),
    sinceWay: { ...ways, description: `How. ${WAYS}` },
    sinceBy: text('By whom: the account, the operator, the calling service, or recipient.'),
    ended: orNull(time('When consent was given back.')),
    endedWay: { type: ['string', 'null'], description: 'How it was given back.' },
    endedBy: orNull(text('By whom it was given back.')),
  }),
  OptOutPage: pageOf('optOuts', 'OptOut'),
  AddedOptOuts: closedObject({
    added: count('How many were added.'),
    known: count('How many were on the list already.'),
  }),
};

/** Not the recipient of the other examples: their messages would not arrive any more. */
const OPTED_OUT = '01055556666';

const EXAMPLE = {
  id: '17',
  to: OPTED_OUT,
  sender: '*',
  covers: 'advertisements',
  source: null,
  since: '2026-03-02T09:30:00+09:00',
  sinceWay: 'api',
  sinceBy: 'shop',
  ended: null,
  endedWay: null,
  endedBy: null,
};

export const OPT_OUT_PAGE = success(
  { data: reference('OptOutPage') },
  { data: { optOuts: [EXAMPLE], next: null } },
);
export const OPT_OUT_ENTRY = success({ data: reference('OptOut') }, { data: EXAMPLE });
export const OPT_OUTS_ADDED = success({ data: reference('AddedOptOuts') }, { data: { added: 1, known: 0 } });
export const OPT_OUT_FILE: readonly ApiContent[] = [
  { type: CSV_TYPE, schema: { type: 'string' }, examples: {} },
];

function listOfRecipients(name: string, fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    properties: {
      [name]: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_OPT_OUTS_A_CALL,
        items: { type: 'object', properties: fields, required: ['to'] },
      },
    },
    required: [name],
  };
}

export const OPT_OUTS_REQUEST = jsonRequest(listOfRecipients('optOuts', { to, sender, covers }), {
  'no advertisements from this account': { optOuts: [{ to: OPTED_OUT }] },
  'nothing at all from one number': {
    optOuts: [{ to: OPTED_OUT, sender: '0212345678', covers: 'all' }],
  },
});

export const CONSENT_REQUEST = jsonRequest(listOfRecipients('recipients', { to, sender }), {
  'to all senders': { recipients: [{ to: OPTED_OUT }] },
});

export const CSV_REQUEST: ApiContent = {
  type: CSV_TYPE,
  schema: { type: 'string' },
  examples: { 'two numbers': `to,sender,covers\n${OPTED_OUT},,\n01087654321,0212345678,all\n` },
};

function parameter(name: string, description: string, example: string, schema?: JsonSchema): ApiParameter {
  return { name, in: 'query', description, example, schema: schema ?? { type: 'string' } };
}

export const OPT_OUT_FILTERS: readonly ApiParameter[] = [
  parameter('to', 'Only this recipient.', '01012345678'),
  parameter('sender', 'Only entries about this sender.', '0212345678'),
  parameter('state', 'current: entries that have not ended, the default; all: these too.', 'current', {
    type: 'string',
    enum: ['current', 'all'],
  }),
  parameter('cursor', 'The "next" of the previous answer.', '17'),
  parameter('limit', `Most rows of a page, 1 to ${MOST_LISTED}; default 100.`, '100', {
    type: 'string',
    pattern: '^\\d{1,4}$',
  }),
];
