/** The failure desk: what failed on a day, in groups, and how that compares with the days before. */
import { CHANNELS } from '../domain/channels/channel.ts';
import { FAILURE_DIMENSIONS } from '../domain/reports/dimensions.ts';
import { ADVICE } from '../domain/reports/report-advice.ts';
import { field } from '../domain/request/field-kinds.ts';
import { accountFilter } from '../domain/request/list-fields.ts';
import { Problem } from '../domain/request/problem.ts';
import { EXAMPLE_TIME } from './common.ts';
import { operation, resource } from './operation.ts';
import {
  count,
  listOf,
  named,
  type Of,
  object,
  oneOf,
  optional,
  orNull,
  plain,
  text,
  time,
} from './shapes.ts';
import { said } from './words.ts';

const share = (english: string, korean?: string) =>
  plain<number>({ type: 'number', minimum: 0, maximum: 1, description: said(english, korean) });

const Day = named(
  'FailureDay',
  object({
    day: text('Date.', '날짜.'),
    messages: count('Messages that ended.', '완료된 메시지.'),
    failed: count('Those of them that failed.', '그중 실패한 메시지.'),
  }),
);
const Group = named(
  'FailureGroup',
  object({
    code: optional(text('Report code.')),
    channel: optional(
      plain<string>({
        type: 'string',
        enum: [...CHANNELS, ''],
        description: said('Channel that was the last.', '마지막 채널.'),
      }),
    ),
    carrier: optional(
      text(
        'Carrier of the last attempt; empty if there was none.',
        '마지막 시도의 중계사. 없으면 비어 있습니다.',
      ),
    ),
    account: optional(text('Account that sent them.', '발송한 계정.')),
    reportText: optional(text('Text of the code.')),
    advice: optional(oneOf(ADVICE, 'What can be done about it.', '조치 방법.')),
    failed: count('Messages of the day.', '해당 일자의 메시지.'),
    share: share('Of all that failed on the day.', '해당 일자 전체 실패 중 비율.'),
    rate: share('Of all messages of the day that ended.', '해당 일자 전체 완료 메시지 중 비율.'),
    usualRate: share(
      'Of all messages of the seven days before that ended.',
      '이전 7일 전체 완료 메시지 중 비율.',
    ),
    days: listOf(
      plain<number>({ type: 'integer', minimum: 0 }),
      'Messages of each of the days, oldest first.',
      '일자별 메시지 수를 오래된 것부터.',
    ),
  }),
);
const Desk = object({
  day: text('The date.', '날짜.'),
  today: text('The date of today.', '오늘 날짜.'),
  from: time('Start of the day.', '하루의 시작.'),
  until: time('End of the day.', '하루의 끝.'),
  countedUntil: orNull(
    time(
      'Messages accepted later are not counted yet; null if none is.',
      '이 시각 이후 접수된 메시지는 아직 집계되지 않았습니다. 집계가 없으면 null.',
    ),
  ),
  days: listOf(Day, 'The seven days before, then the day itself.', '이전 7일과 해당 일자.'),
  groups: listOf(Group, 'Largest first, at most 200.', '큰 순서대로 최대 200개.'),
  left: object({
    groups: count('Groups beyond those.', '나머지 그룹 수.'),
    failed: count('Messages in them.', '나머지 그룹의 메시지 수.'),
  }),
});

export type FailureDay = Of<typeof Day>;
export type FailureGroup = Of<typeof Group>;
export type FailureDesk = Of<typeof Desk>;

export const failures = resource('Figures', {}, [
  operation('GET /failures', {
    id: 'readFailures',
    role: 'viewer',
    summary: said('Failures of a day, in groups', '일자별 실패 그룹'),
    description: said(
      'Messages accepted on one day that failed, by the code, channel and carrier of their last channel message and by account, largest group first, with the share of each and the seven days before. Counted a little behind the traffic: see "countedUntil".',
      '하루 동안 접수되어 실패한 메시지를 마지막 채널 메시지의 코드, 채널, 중계사와 계정별로 묶어 큰 그룹부터 반환합니다. 그룹별 비율과 이전 7일의 값이 함께 있습니다. 집계는 발송보다 조금 늦습니다("countedUntil" 참고).',
    ),
    needs: 'gateway',
    query: {
      day: {
        ...field<string>(
          'A300',
          {
            type: 'string',
            description: said(
              'A date in the zone of the gateway; today if absent.',
              '게이트웨이 시간대의 날짜. 없으면 오늘.',
            ),
          },
          String,
        ),
        example: '2026-03-02',
      },
      account: accountFilter(said('Only this account.', '이 계정만.')),
      by: {
        ...field(
          'A300',
          {
            type: 'string',
            description: said(
              'Some of code, channel, carrier, account; all of them if absent.',
              'code, channel, carrier, account 중 일부. 없으면 전체.',
            ),
          },
          value => {
            const given = String(value).split(',');
            const by = FAILURE_DIMENSIONS.filter(name => given.includes(name));
            return by.length === given.length
              ? by
              : new Problem('A300', `"by" must be some of ${FAILURE_DIMENSIONS.join(', ')}`);
          },
        ),
        example: 'code,carrier',
      },
    },
    answer: Desk,
    example: {
      ...{ day: '2026-03-02', today: '2026-03-02' },
      ...{ from: '2026-03-02T00:00:00+09:00', until: '2026-03-03T00:00:00+09:00' },
      countedUntil: EXAMPLE_TIME,
      days: [{ day: '2026-03-02', messages: 1000, failed: 25 }],
      groups: [
        {
          ...{ code: '23001', channel: 'sms', carrier: 'simulator', account: 'shop' },
          ...{ reportText: 'No such subscriber', advice: 'number' },
          ...{ failed: 20, share: 0.8, rate: 0.02, usualRate: 0.01, days: [9, 11, 10, 8, 10, 12, 10, 20] },
        },
      ],
      left: { groups: 0, failed: 0 },
    },
  }),
]);
