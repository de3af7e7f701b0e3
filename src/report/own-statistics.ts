/** An account's own statistics by day, channel and outcome: read from the sums of the traffic, never from messages. */
import type { Account } from '../domain/account/account.ts';
import { CHANNELS, channelNamed, serviceTypeOf } from '../domain/channels/channel.ts';
import { REPORT_CODES, type ReportCode } from '../domain/reports/report-codes.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { type Calendar, dateNamed, type FormatTime, nameOfDate } from '../platform/zoned-time.ts';
import type { RollupRow, Store } from '../store/store.ts';
import type { Query } from './own-query.ts';

/** Days of one answer. */
export const MOST_DAYS = 62;
const DAY_MS = 24 * 3_600_000;
const DATE_FORM = 'a date such as 20260302';

export interface OutcomeCount {
  readonly reportCode: string;
  readonly reportText: string;
  readonly cnt: number;
}

/** Of one channel on one day; a message belongs to the day on which it was accepted. */
export interface DayStatistics {
  readonly statDate: string;
  readonly serviceType: string;
  /** Messages accepted, by the first channel of their flow. */
  readonly recvTotalCnt: number;
  /** Channel messages that ended, and how. */
  readonly reportTotalCnt: number;
  readonly reportSuccCnt: number;
  readonly reportFailCnt: number;
  readonly outcomes: readonly OutcomeCount[];
}

export interface OwnStatistics {
  readonly statistics: readonly DayStatistics[];
  /** What was accepted before is counted; null if nothing is yet. */
  readonly countedUntil: string | null;
}

export type ReadOwnStatistics = (account: Account, query: Query) => Promise<OwnStatistics | Problem>;

export function createOwnStatistics(deps: {
  readonly store: Pick<Store, 'rollups'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly calendar: Calendar;
  readonly countedUntil: () => Promise<number | undefined>;
}): ReadOwnStatistics {
  const { store, clock, formatTime, calendar } = deps;

  return async (account, query) => {
    const range = datesIn(query);
    if (range instanceof Problem) return range;
    const channels = channelsIn(query.serviceType);
    if (channels instanceof Problem) return channels;
    const rows = await store.rollups.read({
      grain: 'day',
      from: range.first,
      until: range.last + DAY_MS,
      where: { account: account.id },
      by: ['at', 'channel', 'code'],
    });
    const rowsOf = Map.groupBy(rows, row => row.at ?? 0);
    const dates = [...rowsOf.keys()].sort((a, b) => a - b);
    const countedUntil = await deps.countedUntil();
    return {
      statistics: dates.flatMap(at =>
        channels.flatMap(channel => {
          const own = (rowsOf.get(at) ?? []).filter(row => row.channel === channel);
          return own.length === 0 ? [] : [sumsOf(at, serviceTypeOf(channel), own)];
        }),
      ),
      countedUntil: countedUntil === undefined ? null : formatTime(countedUntil),
    };
  };

  function sumsOf(at: number, serviceType: string, rows: readonly RollupRow[]): DayStatistics {
    const sum = (count: (row: RollupRow) => number) => rows.reduce((total, row) => total + count(row), 0);
    const total = sum(({ ended }) => ended);
    const delivered = sum(row => row.delivered);
    return {
      statDate: nameOfDate(at).replaceAll('-', ''),
      serviceType,
      recvTotalCnt: sum(({ accepted }) => accepted),
      reportTotalCnt: total,
      reportSuccCnt: delivered,
      reportFailCnt: total - delivered,
      outcomes: [
        ...Map.groupBy(
          rows.filter(({ ended }) => ended > 0),
          ({ code = '' }) => code,
        ),
      ]
        .map(([code, own]) => ({
          reportCode: code,
          reportText: REPORT_CODES[code as ReportCode] ?? '',
          cnt: own.reduce((count, { ended }) => count + ended, 0),
        }))
        .sort((a, b) => b.cnt - a.cnt || (a.reportCode < b.reportCode ? -1 : 1)),
    };
  }

  /** The first and the last date asked for; today if none is. */
  function datesIn({ startDate, endDate }: Query): { first: number; last: number } | Problem {
    const today = calendar.dateOf(clock.now());
    const first = isGiven(startDate) ? dateGiven(startDate) : today;
    if (first === undefined) return new Problem('A300', `"startDate" must be ${DATE_FORM}`);
    const last = isGiven(endDate) ? dateGiven(endDate) : Math.max(first, today);
    if (last === undefined) return new Problem('A300', `"endDate" must be ${DATE_FORM}`);
    if (last < first) return new Problem('A300', '"endDate" must not be before "startDate"');
    return last - first < MOST_DAYS * DAY_MS
      ? { first, last }
      : new Problem('A300', `"endDate" must be at most ${MOST_DAYS - 1} days after "startDate"`);
  }
}

function dateGiven(given: unknown): number | undefined {
  const match = typeof given === 'string' ? /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(given) : undefined;
  return match ? dateNamed(match.slice(1).join('-')) : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function channelsIn(given: unknown): readonly (typeof CHANNELS)[number][] | Problem {
  if (!isGiven(given)) return CHANNELS;
  const names = String(given)
    .toLowerCase()
    .split(',', CHANNELS.length + 1);
  const channels = names.map(name => channelNamed(name.trim()));
  return channels.every(channel => channel !== undefined)
    ? CHANNELS.filter(channel => channels.includes(channel))
    : new Problem(
        'A300',
        `"serviceType" must be some of ${CHANNELS.map(serviceTypeOf).join(', ')}, separated by commas`,
      );
}
