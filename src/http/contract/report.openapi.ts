import { CALL_CODES } from '../openapi/codes.ts';
import { pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';
import { closedObject, reference, text, time } from '../openapi/schemas.ts';

const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
const REPORT_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0P';

const REPORT_EXAMPLE = {
  msgKey: MSG_KEY,
  serviceType: 'SMS',
  msgType: 'SM',
  sendTime: '2026-03-02T09:30:00+09:00',
  reportTime: '2026-03-02T09:30:01+09:00',
  reportType: '0',
  reportCode: '10000',
  reportText: 'Delivered',
  carrier: '10001',
  ref: 'order-1042',
};

const reportMembers = {
  msgKey: text('Key of the message.'),
  serviceType: text('Channel, such as SMS or RCS.'),
  msgType: text('Kind of message within the channel.'),
  sendTime: time('When it was sent to the network.'),
  reportTime: time('When its outcome was known.'),
  reportType: text('Always "0".'),
  reportCode: text('10000 is delivered; everything else is a failure. See docs/report-codes.md.'),
  reportText: text('The code in words.'),
  carrier: text('Mobile carrier, if the network reported it.'),
  resCnt: text('Parts of an international message.'),
  ref: text('Reference given with the send.'),
};
/** Members that a record may lack: without a value, or left out for an account with the legacy format. */
const OPTIONAL_OF_REPORT = ['sendTime', 'carrier', 'resCnt', 'ref'];

export const reportDocument: ResourceDocument = {
  operations: [
    {
      method: 'get',
      path: '/v1/report/polling',
      operationId: 'pollReports',
      tag: 'Report',
      summary: 'Fetch the next batch of reports',
      description:
        'The oldest records that were not fetched yet, at most 1000. The same batch is returned with the same reportId until it is deleted. If there are no records, reportId is empty and report is null. There is one record for each channel message that was tried, so with a fallback the failure comes first and then the delivery.',
      access: 'account',
      success: success(
        { data: reference('ReportBatch') },
        { data: { reportId: REPORT_ID, report: [REPORT_EXAMPLE] } },
      ),
      codes: [...CALL_CODES, 'A802'],
    },
    {
      method: 'delete',
      path: '/v1/report/polling/{reportId}',
      operationId: 'acknowledgeReports',
      tag: 'Report',
      summary: 'Delete a batch that was processed',
      description: 'Call it once you have stored the records; the next poll then returns the next batch.',
      access: 'account',
      parameters: [pathParameter('reportId', 'Key of the batch.', REPORT_ID)],
      success: success(),
      codes: [...CALL_CODES, 'A802', 'A805'],
    },
    {
      method: 'get',
      path: '/v1/report/inquiry/{msgKey}',
      operationId: 'inquireReport',
      tag: 'Report',
      summary: 'Look up the reports of one message',
      description: 'All records of the message so far, up to 30 days old; none if the key is unknown.',
      access: 'account',
      parameters: [pathParameter('msgKey', 'Key of the message.', MSG_KEY)],
      success: success(
        {
          data: {
            type: 'object',
            properties: { report: { type: 'array', items: reference('InquiredReport') } },
            required: ['report'],
            additionalProperties: false,
          },
        },
        { data: { report: [REPORT_EXAMPLE] } },
      ),
      codes: CALL_CODES,
    },
  ],
  schemas: {
    Report: closedObject(reportMembers, OPTIONAL_OF_REPORT),
    InquiredReport: closedObject(
      {
        ...reportMembers,
        userType: {
          type: 'string',
          enum: ['F', 'N'],
          description: 'Brandmessage, basic form: F is a friend of the channel, N is not.',
        },
      },
      [...OPTIONAL_OF_REPORT, 'userType'],
    ),
    ReportBatch: closedObject({
      reportId: text('Key of the batch; empty if there are no records.'),
      report: { type: ['array', 'null'], items: reference('Report'), maxItems: 1000 },
    }),
  },
};
