/** The objects that answers of the operator API hold. */
import { SETTING_RULES } from '../../domain/account/account-settings.ts';
import { CHANNELS } from '../../domain/channels/channel.ts';
import { STEP_STATES } from '../../domain/delivery/lifecycle.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { closedObject, reference, text } from './operation.ts';
import { count, time } from './response-schemas.ts';

const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] });
const listOf = (name: string, description: string): JsonSchema => ({
  type: 'array',
  items: reference(name),
  description,
});
const state: JsonSchema = { type: 'string', enum: STEP_STATES, description: 'State of the current step.' };
const next = orNull(text('Cursor of the next page; null on the last one.'));

/** A page of a list. */
export function pageOf(member: string, name: string): JsonSchema {
  return closedObject({ [member]: listOf(name, 'Newest first.'), next });
}

const byChannel: JsonSchema = {
  type: 'object',
  additionalProperties: closedObject({ delivered: count('Delivered.'), failed: count('Not delivered.') }),
  description: 'Channel messages that ended, by channel.',
};

export const OPERATOR_COMPONENTS = {
  MessageHistory: closedObject(
    {
      at: time('When it happened.'),
      step: count('Position in the flow, from 0.'),
      attempt: count('Attempt at the step.'),
      event: text('What happened.'),
      carrier: text('Carrier that was used.'),
      code: text('Report code.'),
      why: text('Reason, in words.'),
    },
    ['carrier', 'code', 'why'],
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
      to: text('Recipient.'),
      ref: text('Reference of the client.'),
      channels: { type: 'array', items: { type: 'string', enum: CHANNELS }, description: 'In send order.' },
      step: count('Current position in the flow, from 0.'),
      state,
      code: orNull(text('Report code of the last step; null while it is on its way.')),
      carrier: orNull(text('Carrier of the current or last attempt.')),
      acceptedAt: time('When it was accepted.'),
      finishedAt: orNull(time('When it was over.')),
    },
    ['ref'],
  ),
  MessageView: closedObject(
    {
      msgKey: text('Key of the message.'),
      account: text('Account that sent it.'),
      to: text('Recipient.'),
      replaceWords: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Words of the recipient.',
      },
      ref: text('Reference of the client.'),
      paymentCode: text('Settlement department of the client.'),
      flow: listOf('ChannelMessage', 'Channel messages in send order, with their placeholders.'),
      rendered: listOf('ChannelMessage', 'Each of them as the recipient gets it.'),
      acceptedAt: time('When it was accepted.'),
      state,
      step: count('Current position in the flow, from 0.'),
      attempt: count('Attempt at the current step.'),
      timeline: listOf('MessageHistory', 'All that happened to it.'),
      reports: listOf('InquiredReport', 'Every record, as inquiry tells it.'),
      request: closedObject({
        method: { const: 'POST' },
        path: text('Path of a send.'),
        body: { type: 'object', additionalProperties: true, description: 'A body that says the same.' },
      }),
      response: {
        type: 'object',
        additionalProperties: true,
        description: 'What the client of that request is answered.',
      },
    },
    ['replaceWords', 'ref', 'paymentCode'],
  ),
  Account: closedObject({
    id: text('Id of the account.'),
    blocked: { type: 'boolean', description: 'Whether its calls are refused.' },
    createdAt: time('When it was made.'),
    settings: reference('AccountSettings'),
  }),
  AccountSettings: closedObject(
    Object.fromEntries(
      Object.entries(SETTING_RULES).map(([name, { mustBe }]) => [name, { description: `Is ${mustBe}.` }]),
    ),
  ),
  CheckedSend: closedObject({
    problem: {
      anyOf: [
        { type: 'null' },
        closedObject({ code: text('Result code.'), result: text('Names the field and the rule.') }),
      ],
      description: 'Why it would be refused; null if it would not.',
    },
    steps: {
      type: 'array',
      items: closedObject({
        channel: { type: 'string', enum: CHANNELS },
        rendered: reference('ChannelMessage'),
        measures: listOf('Measure', 'How long its parts are.'),
      }),
    },
  }),
  Measure: closedObject({
    name: { type: 'string', enum: ['bytes', 'characters', 'parts', 'buttons'] },
    field: text('What is measured.'),
    value: count('How much it is; bytes are EUC-KR bytes.'),
    limit: orNull(count('How much it may be; null where there is no bound.')),
  }),
  StoredFile: closedObject({
    fileKey: text('Key of the file.'),
    account: text('Account it belongs to.'),
    service: text('What it is for.'),
    kind: text('Kind of message it is for.'),
    name: text('File name.'),
    bytes: count('Size.'),
    width: count('Pixels.'),
    height: count('Pixels.'),
    format: { type: 'string', enum: ['jpg', 'png', 'gif', 'bmp'] },
    createdAt: time('When it was uploaded.'),
    expiresAt: time('When it ends.'),
    url: text('Where anyone can see it.'),
  }),
  StoredForm: closedObject({
    account: text('Account it belongs to.'),
    formId: text('Id of the form.'),
    savedAt: time('When it was saved.'),
    entries: { type: 'array', items: reference('FlowEntry'), description: 'Entries as they were saved.' },
  }),
  StatisticBucket: closedObject({
    at: time('Start.'),
    accepted: count('Messages accepted.'),
    delivered: count('Messages delivered.'),
    failed: count('Messages that failed.'),
    expired: count('Messages that nothing was heard of.'),
    channels: byChannel,
    p50Ms: orNull({ type: 'number', description: 'Half of the messages took less from accept to end.' }),
    p99Ms: orNull({ type: 'number', description: '99 of 100 took less.' }),
  }),
  AuditEntry: closedObject({
    at: time('When it was changed.'),
    who: { type: 'string', enum: ['token', 'session', 'cli'], description: 'How whoever did it was known.' },
    action: text('What was done.'),
    target: text('To what.'),
    details: { type: 'object', additionalProperties: true, description: 'More about it; never a secret.' },
  }),
} satisfies Record<string, JsonSchema>;
