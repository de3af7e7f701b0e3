/** Numbers of the traffic over time. */
import { field } from '../domain/request/field-kinds.ts';
import { Problem } from '../domain/request/problem.ts';
import { EXAMPLE_TIME, momentFilter } from './common.ts';
import { operation, resource } from './operation.ts';
import { count, described, listOf, named, type Of, object, orNull, plain, time } from './shapes.ts';
import { said } from './words.ts';

const LONGEST_BUCKET_S = 86_400;

const Tally = object({ delivered: count('Delivered.'), failed: count('Not delivered.', '수신 실패.') });
const duration = plain<number>({ type: 'number' });
const Bucket = named(
  'StatisticBucket',
  object({
    at: time('Start.'),
    accepted: count('Messages accepted.', '접수한 메시지.'),
    delivered: count('Messages delivered.', '수신 성공한 메시지.'),
    failed: count('Messages that failed.', '실패한 메시지.'),
    expired: count(
      'Messages whose deadline passed without a receipt.',
      '결과 통보 없이 제한 시간이 지난 메시지.',
    ),
    channels: plain<Readonly<Record<string, Of<typeof Tally>>>>({
      type: 'object',
      additionalProperties: Tally.schema,
      description: said('Channel messages that ended, by channel.', '채널별 완료된 채널 메시지.'),
    }),
    p50Ms: orNull(
      described(duration, 'Median time from accept to end.', '접수부터 완료까지 걸린 시간의 중앙값.'),
    ),
    p99Ms: orNull(
      described(
        duration,
        '99th percentile of the time from accept to end.',
        '접수부터 완료까지 걸린 시간의 p99.',
      ),
    ),
  }),
);

export type TallyView = Of<typeof Tally>;
export type BucketView = Of<typeof Bucket>;

export const statistics = resource('Figures', {}, [
  operation('GET /statistics', {
    id: 'readStatistics',
    role: 'viewer',
    summary: said('Statistics over time', '기간별 통계'),
    description: said(
      'By default the last hour by the minute. Kept for 30 days, summed over all nodes.',
      '기본값은 최근 한 시간을 분 단위로 집계한 값입니다. 모든 노드를 합산하며 30일간 보관합니다.',
    ),
    needs: 'gateway',
    query: {
      from: momentFilter('From this time on.', EXAMPLE_TIME),
      until: momentFilter('Before this time.', '2026-03-02T10:30:00+09:00'),
      bucket: {
        ...field(
          'A300',
          {
            type: 'string',
            description: said(
              'Length of each bucket in seconds, in whole minutes; at most 1500 buckets.',
              '구간의 길이(초). 분 단위이며 구간은 최대 1500개입니다.',
            ),
          },
          value => {
            const seconds = Number(value);
            return Number.isInteger(seconds / 60) && seconds >= 60 && seconds <= LONGEST_BUCKET_S
              ? seconds
              : new Problem(
                  'A300',
                  `"bucket" must be a number of seconds in whole minutes, from 60 to ${LONGEST_BUCKET_S}`,
                );
          },
        ),
        example: '60',
      },
    },
    answer: object({ buckets: listOf(Bucket) }),
    example: {
      buckets: [
        {
          ...{ at: EXAMPLE_TIME, accepted: 120, delivered: 112, failed: 3, expired: 0 },
          ...{ channels: { sms: { delivered: 112, failed: 3 } }, p50Ms: 320, p99Ms: 610 },
        },
      ],
    },
  }),
]);
