import type { JsonSchema } from '../../domain/request/fields.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, orNull, reference, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import { queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { method: 'get', tag: 'Figures', access: 'operator' } as const;

const byChannel: JsonSchema = {
  type: 'object',
  additionalProperties: closedObject({ delivered: count('Delivered.'), failed: count('Not delivered.') }),
  description: 'Channel messages that ended, by channel.',
};

export const operatorStatisticsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: '/admin/v1/statistics',
      operationId: 'readStatistics',
      role: 'viewer',
      summary: 'Statistics over time',
      description: 'By default the last hour by the minute. Kept for 30 days, summed over all nodes.',
      parameters: [
        queryParameter('from', 'From this time on.', EXAMPLE_TIME),
        queryParameter('until', 'Before this time.', '2026-03-02T10:30:00+09:00'),
        queryParameter(
          'bucket',
          'Length of each bucket in seconds, in whole minutes; at most 1500 buckets.',
          '60',
        ),
      ],
      success: success(
        { data: closedObject({ buckets: { type: 'array', items: reference('StatisticBucket') } }) },
        {
          data: {
            buckets: [
              {
                at: EXAMPLE_TIME,
                accepted: 120,
                delivered: 112,
                failed: 3,
                expired: 0,
                channels: { sms: { delivered: 112, failed: 3 } },
                p50Ms: 320,
                p99Ms: 610,
              },
            ],
          },
        },
      ),
      codes: READ_CODES,
    },
  ],
  schemas: {
    StatisticBucket: closedObject({
      at: time('Start.'),
      accepted: count('Messages accepted.'),
      delivered: count('Messages delivered.'),
      failed: count('Messages that failed.'),
      expired: count('Messages whose deadline passed without a receipt.'),
      channels: byChannel,
      p50Ms: orNull({ type: 'number', description: 'Median time from accept to end.' }),
      p99Ms: orNull({ type: 'number', description: '99th percentile of the time from accept to end.' }),
    }),
  },
};
