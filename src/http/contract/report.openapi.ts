import type { JsonSchema } from '../../domain/request/fields.ts';
import { CALL_CODES } from '../../operations/codes.ts';
import { closedObject, reference, text, time } from '../../operations/schemas.ts';
import { type WireMember, type WireReport, wireMembersFor } from '../../report/wire-record.ts';
import { pathParameter, type ResourceDocument, success } from '../openapi/operation.ts';

const MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
const REPORT_ID = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0P';

const REPORT_EXAMPLE: WireReport = {
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

/** A record as report/wire-record.ts writes it. What the legacy format leaves out is optional there too. */
function reportSchema(occasion: 'handover' | 'inquiry'): JsonSchema {
  const members = wireMembersFor('spec', occasion);
  const optional = members.filter(([, { isOptional }]) => isOptional).map(([name]) => name);
  return closedObject(
    Object.fromEntries(members.map(([name, member]) => [name, reportMemberSchema(member)])),
    optional,
  );
}

export function reportMemberSchema({ meaning, format, values }: WireMember): JsonSchema {
  if (values) return { type: 'string', enum: values, description: meaning };
  return format === 'date-time' ? time(meaning) : text(meaning);
}

export const reportDocument: ResourceDocument = {
  operations: [
    {
      method: 'get',
      path: '/v1/report/polling',
      operationId: 'pollReports',
      tag: 'Report',
      summary: 'Fetch the next batch of reports',
      description:
        'The oldest records that were not fetched yet, at most 1000. The same batch is returned with the same reportId until it is deleted. If there are no records, reportId is empty and report is null. There is one record for each channel message that was tried, so with a fallback the failure comes first and then the delivery. Whether a record is the last one, GET /v1/message/{msgKey} tells; an account with reportRecords: final gets the last records only.',
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
    Report: reportSchema('handover'),
    InquiredReport: reportSchema('inquiry'),
    ReportBatch: closedObject({
      reportId: text('Key of the batch; empty if there are no records.'),
      report: { type: ['array', 'null'], items: reference('Report'), maxItems: 1000 },
    }),
  },
};
