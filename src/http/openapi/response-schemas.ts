/** The objects that responses hold. Each lists all of its members: what is not here is never sent. */

import type { JsonSchema } from '../../domain/request/fields.ts';
import { closedObject, reference, text } from './operation.ts';

export const time = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description,
});
export const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });

const reportMembers = {
  msgKey: text('Key of the message.'),
  serviceType: text('Channel, such as SMS or RCS.'),
  msgType: text('Kind of message within the channel.'),
  sendTime: time('When it was handed to the network.'),
  reportTime: time('When its outcome was known.'),
  reportType: text('Always "0".'),
  reportCode: text('10000 is delivered; everything else is a failure. See docs/report-codes.md.'),
  reportText: text('The code in words.'),
  carrier: text('Mobile carrier, where the network told it.'),
  resCnt: text('Parts of an international message.'),
  ref: text('Reference given with the send.'),
};
/** Members that a record may lack: without a value, or left out for an account with the legacy format. */
const OPTIONAL_OF_REPORT = ['sendTime', 'carrier', 'resCnt', 'ref'];

export const RESPONSE_COMPONENTS = {
  Token: closedObject({
    schema: text('Word to put before the token.'),
    expired: time('End of its life, 24 hours after issue.'),
    token: text('Opaque token.'),
  }),
  Destination: closedObject({
    to: text('Recipient as it was written.'),
    msgKey: { type: ['string', 'null'], description: 'Key of the message; null when it was refused.' },
    code: { type: 'string', pattern: '^A\\d{3}$', description: 'Result for this recipient.' },
    result: text('Result in words.'),
  }),
  Report: closedObject(reportMembers, OPTIONAL_OF_REPORT),
  InquiredReport: closedObject(
    {
      ...reportMembers,
      userType: {
        type: 'string',
        enum: ['F', 'N'],
        description: 'Brandmessage, basic form: F channel friend, N not.',
      },
    },
    [...OPTIONAL_OF_REPORT, 'userType'],
  ),
  ReportBatch: closedObject({
    reportId: text('Key of the batch; empty when nothing waits.'),
    report: { type: ['array', 'null'], items: reference('Report'), maxItems: 1000 },
  }),
  FormId: closedObject({ formId: text('Id of the form.'), expired: time('When the form ends.') }, [
    'expired',
  ]),
  Form: closedObject(
    {
      formId: text('Id of the form.'),
      messageForm: {
        type: 'array',
        items: reference('FlowEntry'),
        description: 'Entries as they were saved.',
      },
      expired: time('When the form ends.'),
    },
    ['expired'],
  ),
  UploadedFile: closedObject(
    {
      imgUrl: text('Address for friendtalk and brandmessage images.'),
      fileKey: text('Key for send requests.'),
      media: text('Reference for RCS, maapfile://…'),
      expired: text('When the file ends, yyyy-MM-dd HH:mm:ss.'),
    },
    ['imgUrl', 'media'],
  ),
  QueueDepth: closedObject(
    {
      ready: count('Steps that should be on their way.'),
      claimed: count('Steps that a lane works on.'),
      waiting: count('Steps that wait for a receipt.'),
      putOff: count('Steps that wait for a later attempt.'),
      oldestReadyAt: count('Due time of the oldest ready step, in milliseconds.'),
    },
    ['oldestReadyAt'],
  ),
  SetAside: closedObject({
    at: count('When, in milliseconds.'),
    reason: text('Why it could not be written.'),
    event: text('The event, as JSON.'),
  }),
  Chaos: closedObject({
    errorRate: { type: 'number', minimum: 0, maximum: 1, description: 'Share of submits refused for now.' },
    dropRate: { type: 'number', minimum: 0, maximum: 1, description: 'Share of submits whose link drops.' },
    extraLatencyMs: { type: 'number', minimum: 0, maximum: 60_000, description: 'Added to every answer.' },
  }),
} satisfies Record<string, JsonSchema>;
