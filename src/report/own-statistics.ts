/** An account's own statistics by day, channel and outcome: read from the sums of the traffic, never from messages. */
import type { Account } from '../domain/account/account.ts';
import { CHANNELS, channelNamed, serviceTypeOf } from '../domain/channels/channel.ts';
import { REPORT_CODES, type ReportCode } from '../domain/reports/report-codes.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { dayInAnyZone, dayNamed, type FormatTime, startsInAnyZone } from '../platform/zoned-time.ts';
import type { RollupRow, Store } from '../store/store.ts';
import type { Query } from './own-query.ts';

/** Days of one answer. */
export const MOST_DAYS = 62;
/** Later than any day ends, and earlier than the next one does. */
const BEYOND_A_DAY_MS = 30 * 3_600_000;
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
  /** The start of the day that a moment lies in. */
  readonly dayOf: (at: number) => number;
  readonly countedUntil: () => Promise<number | undefined>;
}): ReadOwnStatistics {
  const { store, clock, formatTime, dayOf } = deps;

  return async (account, query) => {
    const days = daysIn(query);
    if (days instanceof Problem) return days;
    const channels = channelsIn(query.serviceType);
    if (channels instanceof Problem) return channels;
    const rows = await store.rollups.read({
      grain: 'day',
      at: days.flatMap(day => startsInAnyZone(day, dayOf)),
      where: { account: account.id },
      by: ['at', 'channel', 'code'],
    });
    const rowsOf = Map.groupBy(rows, row => dayInAnyZone(row.at ?? 0, dayOf));
    const countedUntil = await deps.countedUntil();
    return {
      statistics: days.flatMap(at =>
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
      statDate: formatTime(at).slice(0, 10).replaceAll('-', ''),
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

  /** The starts of the days asked for; today if none is. */
  function daysIn({ startDate, endDate }: Query): readonly number[] | Problem {
    const first = isGiven(startDate) ? dayOn(startDate) : dayOf(clock.now());
    if (first === undefined) return new Problem('A300', `"startDate" must be ${DATE_FORM}`);
    const last = isGiven(endDate) ? dayOn(endDate) : Math.max(first, dayOf(clock.now()));
    if (last === undefined) return new Problem('A300', `"endDate" must be ${DATE_FORM}`);
    if (last < first) return new Problem('A300', '"endDate" must not be before "startDate"');
    const days: number[] = [];
    for (let at = first; at <= last && days.length <= MOST_DAYS; at = dayOf(at + BEYOND_A_DAY_MS)) {
      days.push(at);
    }
    return days.length <= MOST_DAYS
      ? days
      : new Problem('A300', `"endDate" must be at most ${MOST_DAYS - 1} days after "startDate"`);
  }

  function dayOn(given: unknown): number | undefined {
    const match = typeof given === 'string' ? /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(given) : undefined;
    return match ? dayNamed(match.slice(1).join('-'), formatTime, dayOf) : undefined;
  }
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
        `"serviceType" must be some of ${CHANNELS.map(serviceTypeOf).join(', ')}, with commas between`,
      );
}
