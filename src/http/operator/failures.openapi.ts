import { CHANNELS } from '../../domain/channels/channel.ts';
import { ADVICE } from '../../domain/reports/report-advice.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { FAILURE_DIMENSIONS } from '../../operate/failures.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, listOf, orNull, text, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import { queryParameter, READ_CODES } from './operation.openapi.ts';

const share = (description: string): JsonSchema => ({ type: 'number', minimum: 0, maximum: 1, description });

export const operatorFailuresDocument: ResourceDocument = {
  operations: [
    {
      method: 'get',
      tag: 'Figures',
      access: 'operator',
      path: '/admin/v1/failures',
      operationId: 'readFailures',
      role: 'viewer',
      summary: 'Failures of a day, in groups',
      description:
        'Messages accepted on one day that failed, by the code, channel and carrier of their last channel message and by account, largest group first, with the share of each and the seven days before. Counted a little behind the traffic: see "countedUntil".',
      parameters: [
        queryParameter('day', 'A date in the zone of the gateway; today if absent.', '2026-03-02'),
        queryParameter('account', 'Only this account.', 'shop'),
        queryParameter(
          'by',
          `Some of ${FAILURE_DIMENSIONS.join(', ')}; all of them if absent.`,
          'code,carrier',
        ),
      ],
      success: success(
        {
          data: closedObject({
            day: text('The date.'),
            today: text('The date of today.'),
            from: time('Start of the day.'),
            until: time('End of the day.'),
            countedUntil: orNull(time('Messages accepted later are not counted yet; null if none is.')),
            days: listOf('FailureDay', 'The seven days before, then the day itself.'),
            groups: listOf('FailureGroup', 'Largest first, at most 200.'),
            left: closedObject({
              groups: count('Groups beyond those.'),
              failed: count('Messages in them.'),
            }),
          }),
        },
        {
          data: {
            day: '2026-03-02',
            today: '2026-03-02',
            from: '2026-03-02T00:00:00+09:00',
            until: '2026-03-03T00:00:00+09:00',
            countedUntil: EXAMPLE_TIME,
            days: [{ day: '2026-03-02', messages: 1000, failed: 25 }],
            groups: [
              {
                code: '23001',
                channel: 'sms',
                carrier: 'simulator',
                account: 'shop',
                reportText: 'No such subscriber',
                advice: 'number',
                failed: 20,
                share: 0.8,
                rate: 0.02,
                usualRate: 0.01,
                days: [9, 11, 10, 8, 10, 12, 10, 20],
              },
            ],
            left: { groups: 0, failed: 0 },
          },
        },
      ),
      codes: READ_CODES,
    },
  ],
  schemas: {
    FailureDay: closedObject({
      day: text('Date.'),
      messages: count('Messages that ended.'),
      failed: count('Those of them that failed.'),
    }),
    FailureGroup: closedObject(
      {
        code: text('Report code.'),
        channel: { type: 'string', enum: [...CHANNELS, ''], description: 'Channel that was the last.' },
        carrier: text('Carrier of the last attempt; empty if there was none.'),
        account: text('Account that sent them.'),
        reportText: text('Text of the code.'),
        advice: { type: 'string', enum: ADVICE, description: 'What can be done about it.' },
        failed: count('Messages of the day.'),
        share: share('Of all that failed on the day.'),
        rate: share('Of all messages of the day that ended.'),
        usualRate: share('Of all messages of the seven days before that ended.'),
        days: {
          type: 'array',
          items: { type: 'integer', minimum: 0 },
          description: 'Messages of each of the days, oldest first.',
        },
      },
      ['code', 'channel', 'carrier', 'account', 'reportText', 'advice'],
    ),
  },
};
