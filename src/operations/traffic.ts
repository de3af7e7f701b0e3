/** Sums of the traffic over any range, and what went to each carrier. */
import { CHANNELS } from '../domain/channels/channel.ts';
import { TRAFFIC_DIMENSIONS } from '../domain/reports/dimensions.ts';
import { DAYS_KEPT, HOURS_KEPT_DAYS, MOST_ROWS } from '../domain/reports/traffic-sums.ts';
import { field, word } from '../domain/request/field-kinds.ts';
import { Problem } from '../domain/request/problem.ts';
import { EXAMPLE_TIME, momentFilter } from './common.ts';
import { operation, resource } from './operation.ts';
import { count, flag, listOf, named, type Of, object, optional, orNull, text, time } from './shapes.ts';
import { said } from './words.ts';

const MOST_DIMENSIONS = 3;
const LONGEST_VALUE = 100;
const UNITS = ['hour', 'day'] as const;
const BUCKETS = ['minute', ...UNITS] as const;

const SUMS = {
  accepted: count(
    'Messages accepted, by channel and sender of their first channel message; 0 by code, or of one code.',
    '접수한 메시지. 첫 채널 메시지의 채널과 발신번호 기준이며, 코드별이거나 코드를 지정하면 0입니다.',
  ),
  ended: count('Channel messages that ended.'),
  messages: count(
    'Messages that ended, by their last channel message.',
    '완료된 메시지. 마지막 채널 메시지 기준.',
  ),
  delivered: count('Delivered.'),
  failed: count('Channel messages that failed.', '실패한 채널 메시지.'),
  expired: count(
    'Channel messages whose deadline passed without a receipt.',
    '결과 통보 없이 제한 시간이 지난 채널 메시지.',
  ),
  parts: count(
    'Parts of the channel messages that ended; 0 for one that never left.',
    '완료된 채널 메시지의 건수. 발송되지 않았으면 0.',
  ),
  p50Ms: orNull(
    count(
      'Median of the time from accept to the end, of delivered messages.',
      '수신 성공한 메시지의 접수부터 완료까지 걸린 시간의 중앙값.',
    ),
  ),
  p95Ms: orNull(
    count(
      '95th percentile of the time from accept to the end, of delivered messages.',
      '수신 성공한 메시지의 접수부터 완료까지 걸린 시간의 p95.',
    ),
  ),
  p99Ms: orNull(
    count(
      '99th percentile of the time from accept to the end, of delivered messages.',
      '수신 성공한 메시지의 접수부터 완료까지 걸린 시간의 p99.',
    ),
  ),
};
const Sums = named('TrafficSums', object(SUMS));
const Row = named(
  'TrafficRow',
  object({
    at: optional(time('Start of the hour or day.', '시간 또는 일의 시작.')),
    account: optional(text('Account.', '계정.')),
    sender: optional(
      text(
        'Sender number or profile; empty where the text was removed before it was counted, `*` for all beyond the first 200 of an account and day.',
        '발신번호 또는 발신 프로필. 집계 전에 내용이 삭제되었으면 비어 있고, 계정과 일자별로 200개를 넘는 나머지는 `*`입니다.',
      ),
    ),
    channel: optional(text('Channel.', '채널.')),
    carrier: optional(text('Carrier; empty where none was found.', '중계사. 찾지 못했으면 비어 있습니다.')),
    code: optional(text('Report code.')),
    ...SUMS,
  }),
);
const Report = object({
  from: time('Start of the range.', '기간의 시작.'),
  until: time('End of the range.', '기간의 끝.'),
  countedUntil: orNull(time('What was accepted before is counted; null if nothing is yet.')),
  total: Sums,
  rows: listOf(Row, 'By time, otherwise the largest first.', '시간순. 시간이 없으면 큰 순서.'),
  isCut: flag('There were more rows; the largest are shown.', '행이 더 있으며 큰 것만 표시합니다.'),
});
const SUBMITS = {
  submitted: count('Submits that it took.', '접수한 전송.'),
  refused: count('Submits that it refused.', '거절한 전송.'),
};
const throttled = count(
  'Submits that it refused as too fast; they are sent later.',
  '속도 초과로 거절한 전송. 나중에 다시 보냅니다.',
);
const OfCarrier = named(
  'CarrierTraffic',
  object({
    carrier: text('Carrier.', '중계사.'),
    ...SUBMITS,
    throttled,
    buckets: listOf(object({ at: time('Start.'), ...SUBMITS, throttled }), 'By time.', '시간순.'),
  }),
);

export type TrafficUnit = (typeof UNITS)[number];
export type TrafficBucket = (typeof BUCKETS)[number];
export type TrafficRow = Of<typeof Row>;
export type TrafficReport = Of<typeof Report>;
export type CarrierTraffic = Of<typeof OfCarrier>;

const only = (description: string, example: string) => ({
  ...field<string>('A300', { type: 'string', description }, (value, path) =>
    typeof value === 'string' && value.length <= LONGEST_VALUE
      ? value
      : new Problem('A300', `"${path}" must be text of at most ${LONGEST_VALUE} characters`),
  ),
  example,
});
const range = (from: string) => ({
  from: momentFilter(from, EXAMPLE_TIME),
  until: momentFilter(
    said('Before this time; by default now.', '이 시각 전까지. 기본값은 현재.'),
    '2026-03-02T10:30:00+09:00',
  ),
});
const BY = {
  ...field(
    'A300',
    {
      type: 'string',
      description: said(
        `A row for each combination of these: hour or day, and up to three of ${TRAFFIC_DIMENSIONS.join(', ')}; separated by commas. At most ${MOST_ROWS} rows.`,
        `다음을 조합한 값마다 한 행: hour 또는 day, 그리고 ${TRAFFIC_DIMENSIONS.join(', ')} 중 최대 세 개. 쉼표로 구분하며 최대 ${MOST_ROWS}행입니다.`,
      ),
    },
    value => {
      const names = String(value)
        .split(',')
        .filter(name => name !== '');
      const units = UNITS.filter(unit => names.includes(unit));
      const by = TRAFFIC_DIMENSIONS.filter(dimension => names.includes(dimension));
      if (units.length > 1 || by.length > MOST_DIMENSIONS || units.length + by.length !== names.length) {
        const dimensions = TRAFFIC_DIMENSIONS.join(', ');
        return new Problem('A300', `"by" must be hour or day, and up to ${MOST_DIMENSIONS} of ${dimensions}`);
      }
      return { unit: units[0], by };
    },
  ),
  example: 'day,channel',
};

const SUMS_EXAMPLE = {
  ...{ accepted: 120, ended: 118, messages: 115, delivered: 112, failed: 6, expired: 0, parts: 121 },
  ...{ p50Ms: 320, p95Ms: 560, p99Ms: 610 },
};
const SUBMITS_EXAMPLE = { submitted: 5400, refused: 12, throttled: 3 };

export const traffic = resource('Figures', {}, [
  operation('GET /statistics/traffic', {
    id: 'readTraffic',
    role: 'viewer',
    summary: said('Statistics of the traffic', '발송 통계'),
    description: said(
      `Messages by when they were accepted, summed over all nodes and counted within a minute. By hour they are kept for ${HOURS_KEPT_DAYS} days, by day for ${DAYS_KEPT}. A range is widened to whole hours. One that begins before hours are kept is widened to whole days. Days begin at midnight in the gateway's time zone; after a change of the zone those before it keep their dates.`,
      `접수 시각 기준의 메시지 통계입니다. 모든 노드를 합산하며 1분 안에 집계됩니다. 시간별로 ${HOURS_KEPT_DAYS}일, 일별로 ${DAYS_KEPT}일간 보관합니다. 기간은 시간 단위로 넓혀지며, 시간별 통계의 보관 기간 전에 시작하면 일 단위로 넓혀집니다. 하루는 게이트웨이 시간대의 자정에 시작하고, 시간대를 바꾸면 그 전의 날은 원래 날짜를 유지합니다.`,
    ),
    needs: 'gateway',
    query: {
      ...range(
        said('From this time on. By default the start of today.', '이 시각부터. 기본값은 오늘의 시작.'),
      ),
      by: BY,
      account: only('Only of this account.', 'shop'),
      sender: only(said('Only from this sender.', '이 발신번호만.'), '0212345678'),
      channel: {
        ...word({ code: 'A300', values: CHANNELS, description: said('Only of this channel.', '이 채널만.') }),
        example: 'sms',
      },
      carrier: only(said('Only by this carrier.', '이 중계사만.'), 'simulator'),
      code: only(said('Only with this report code.', '이 결과 코드만.'), '10000'),
    },
    answer: Report,
    example: {
      ...{ from: EXAMPLE_TIME, until: '2026-03-02T10:30:00+09:00' },
      countedUntil: '2026-03-02T10:29:45+09:00',
      total: SUMS_EXAMPLE,
      rows: [{ at: EXAMPLE_TIME, channel: 'sms', ...SUMS_EXAMPLE }],
      isCut: false,
    },
  }),
  operation('GET /statistics/carriers', {
    id: 'readCarrierTraffic',
    role: 'viewer',
    summary: said('Throughput and throttling of carriers', '중계사별 처리량과 속도 제한'),
    description: said(
      `What went to each carrier, summed over all nodes. By minute it is kept for 2 days (at most a day at once), by hour for ${HOURS_KEPT_DAYS}, by day for ${DAYS_KEPT}. A stretch in which nothing went to a carrier has no bucket.`,
      `중계사별 전송량을 모든 노드에 걸쳐 합산합니다. 분별로 2일(한 번에 최대 하루), 시간별로 ${HOURS_KEPT_DAYS}일, 일별로 ${DAYS_KEPT}일간 보관합니다. 전송이 없는 구간은 생략합니다.`,
    ),
    needs: 'gateway',
    query: {
      ...range(said('From this time on. By default the last hour.', '이 시각부터. 기본값은 최근 한 시간.')),
      bucket: {
        ...word({
          code: 'A300',
          values: BUCKETS,
          description: said('Length of each bucket; default minute.', '구간의 길이. 기본값 minute.'),
        }),
        example: 'minute',
      },
    },
    answer: object({ carriers: listOf(OfCarrier, 'The busiest first.', '처리량이 많은 순서.') }),
    example: {
      carriers: [
        {
          carrier: 'simulator',
          ...SUBMITS_EXAMPLE,
          buckets: [{ at: EXAMPLE_TIME, ...SUBMITS_EXAMPLE }],
        },
      ],
    },
  }),
]);
