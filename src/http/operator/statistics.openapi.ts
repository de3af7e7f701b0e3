import { type ApiOperation, closedObject, reference, success } from '../openapi/operation.ts';
import { pageOf } from '../openapi/operator-schemas.ts';
import { cursor, EXAMPLE_TIME, limit, queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { method: 'get', tag: 'Figures', access: 'operator' } as const;

const EVENTS = `event: messages
data: {"rows":[{"at":"${EXAMPLE_TIME}","msgKey":"06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000","account":"shop","to":"01012345678","channel":"sms","event":"ended","state":"delivered","code":"10000"}],"skipped":0}

event: figures
data: {"at":"${EXAMPLE_TIME}","acceptedPerSecond":12,"endedPerSecond":11,"channels":{"sms":{"delivered":11,"failed":0}},"p50Ms":320,"p99Ms":610,"queue":{"ready":0,"claimed":2,"waiting":9}}
`;

export const FIGURE_OPERATIONS: readonly ApiOperation[] = [
  {
    ...COMMON,
    path: '/admin/v1/statistics',
    operationId: 'readStatistics',
    summary: 'Numbers over time',
    description: 'The last hour by the minute, unless told. Kept for 30 days, summed over all nodes.',
    parameters: [
      queryParameter('from', 'From this time on.', EXAMPLE_TIME),
      queryParameter('until', 'Before this time.', '2026-03-02T10:30:00+09:00'),
      queryParameter('bucket', 'Seconds of each bucket, whole minutes; at most 1500 buckets.', '60'),
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
  {
    ...COMMON,
    path: '/admin/v1/events',
    operationId: 'watchEvents',
    summary: 'What happens now',
    description:
      'Server-sent events of this node: `messages` at most four times a second with the newest 50 rows and how many were skipped, `figures` once a second. Ends after 15 minutes; browsers connect again by themselves.',
    parameters: [queryParameter('account', 'Rows of this account only.', 'shop')],
    success: [{ type: 'text/event-stream', schema: { type: 'string' }, examples: { events: EVENTS } }],
    codes: READ_CODES,
  },
  {
    ...COMMON,
    path: '/admin/v1/audit',
    operationId: 'readAudit',
    summary: 'Who changed what',
    description: 'Every change through the operator API and the command line, newest first. Kept for a year.',
    parameters: [cursor('1042'), limit],
    success: success(
      { data: pageOf('entries', 'AuditEntry') },
      {
        data: {
          entries: [
            {
              at: EXAMPLE_TIME,
              who: 'session',
              action: 'account.change',
              target: 'shop',
              details: { settings: { sendRate: 100 } },
            },
          ],
          next: null,
        },
      },
    ),
    codes: READ_CODES,
  },
];
