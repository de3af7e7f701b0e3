import { CHANNELS } from '../../domain/channels/channel.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { DAYS_KEPT, HOURS_KEPT_DAYS, MOST_ROWS, TRAFFIC_DIMENSIONS } from '../../observe/traffic.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, listOf, orNull, reference, text, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import { queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { method: 'get', tag: 'Figures', access: 'operator', role: 'viewer' } as const;

const latency = (name: string): JsonSchema =>
  orNull({
    type: 'integer',
    minimum: 0,
    description: `${name} of the time from accept to the end, of delivered messages.`,
  });

const SUMS: Readonly<Record<string, JsonSchema>> = {
  accepted: count(
    'Messages accepted, by channel and sender of their first channel message; 0 by code, or of one code.',
  ),
  ended: count('Channel messages that ended.'),
  messages: count('Messages that ended, by their last channel message.'),
  delivered: count('Delivered.'),
  failed: count('Channel messages that failed.'),
  expired: count('Channel messages whose deadline passed without a receipt.'),
  parts: count('Parts of the channel messages that ended; 0 for one that never left.'),
  p50Ms: latency('Median'),
  p95Ms: latency('95th percentile'),
  p99Ms: latency('99th percentile'),
};

const KEYS: Readonly<Record<string, JsonSchema>> = {
  at: time('Start of the hour or day.'),
  account: text('Account.'),
  sender: text(
    'Sender number or profile; empty where the text was removed before it was counted, `*` for all beyond the first 200 of an account and day.',
  ),
  channel: text('Channel.'),
  carrier: text('Carrier; empty where none was found.'),
  code: text('Report code.'),
};

const SUMS_EXAMPLE = {
  ...{ accepted: 120, ended: 118, messages: 115, delivered: 112, failed: 6, expired: 0, parts: 121 },
  ...{ p50Ms: 320, p95Ms: 560, p99Ms: 610 },
};

const BUCKET = { submitted: count('Submits that it took.'), refused: count('Submits that it refused.') };
const throttled = count('Submits that it refused as too fast; they are sent later.');
const BUCKET_EXAMPLE = { submitted: 5400, refused: 12, throttled: 3 };

const range = (usual: string) => [
  queryParameter('from', `From this time on. ${usual}`, EXAMPLE_TIME),
  queryParameter('until', 'Before this time; by default now.', '2026-03-02T10:30:00+09:00'),
];

export const operatorTrafficDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      path: '/admin/v1/statistics/traffic',
      operationId: 'readTraffic',
      summary: 'Statistics of the traffic',
      description: `Messages by when they were accepted, summed over all nodes and counted within a minute. By hour they are kept for ${HOURS_KEPT_DAYS} days, by day for ${DAYS_KEPT}. A range is widened to whole hours. One that begins before hours are kept is widened to whole days. Days begin at midnight in the gateway's time zone; after a change of the zone those before it keep their dates.`,
      parameters: [
        ...range('By default the start of today.'),
        queryParameter(
          'by',
          `A row for each combination of these: hour or day, and up to three of ${TRAFFIC_DIMENSIONS.join(', ')}; separated by commas. At most ${MOST_ROWS} rows.`,
          'day,channel',
        ),
        queryParameter('account', 'Only of this account.', 'shop'),
        queryParameter('sender', 'Only from this sender.', '0212345678'),
        queryParameter('channel', 'Only of this channel.', 'sms', { type: 'string', enum: CHANNELS }),
        queryParameter('carrier', 'Only by this carrier.', 'simulator'),
        queryParameter('code', 'Only with this report code.', '10000'),
      ],
      success: success(
        {
          data: closedObject({
            from: time('Start of the range.'),
            until: time('End of the range.'),
            countedUntil: orNull(time('What was accepted before is counted; null if nothing is yet.')),
            total: reference('TrafficSums'),
            rows: listOf('TrafficRow', 'By time, otherwise the largest first.'),
            isCut: { type: 'boolean', description: 'There were more rows; the largest are shown.' },
          }),
        },
        {
          data: {
            from: EXAMPLE_TIME,
            until: '2026-03-02T10:30:00+09:00',
            countedUntil: '2026-03-02T10:29:45+09:00',
            total: SUMS_EXAMPLE,
            rows: [{ at: EXAMPLE_TIME, channel: 'sms', ...SUMS_EXAMPLE }],
            isCut: false,
          },
        },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      path: '/admin/v1/statistics/carriers',
      operationId: 'readCarrierTraffic',
      summary: 'Throughput and throttling of carriers',
      description: `What went to each carrier, summed over all nodes. By minute it is kept for 2 days (at most a day at once), by hour for ${HOURS_KEPT_DAYS}, by day for ${DAYS_KEPT}. A stretch in which nothing went to a carrier has no bucket.`,
      parameters: [
        ...range('By default the last hour.'),
        queryParameter('bucket', 'Length of each bucket; default minute.', 'minute', {
          type: 'string',
          enum: ['minute', 'hour', 'day'],
        }),
      ],
      success: success(
        { data: closedObject({ carriers: listOf('CarrierTraffic', 'The busiest first.') }) },
        {
          data: {
            carriers: [
              {
                carrier: 'simulator',
                ...BUCKET_EXAMPLE,
                buckets: [{ at: EXAMPLE_TIME, ...BUCKET_EXAMPLE }],
              },
            ],
          },
        },
      ),
      codes: READ_CODES,
    },
  ],
  schemas: {
    TrafficSums: closedObject(SUMS),
    TrafficRow: closedObject({ ...KEYS, ...SUMS }, Object.keys(KEYS)),
    CarrierTraffic: closedObject({
      carrier: text('Carrier.'),
      ...BUCKET,
      throttled,
      buckets: {
        type: 'array',
        items: closedObject({ at: time('Start.'), ...BUCKET, throttled }),
        description: 'By time.',
      },
    }),
  },
};
