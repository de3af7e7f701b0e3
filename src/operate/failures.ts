/**
 * The failure desk: the messages of one day that failed, grouped, and how that compares with the days before.
 *
 * Read from the sums of the traffic (store/rollups.ts): a few hundred rows, however many messages there are. A message
 * belongs to the day on which it was accepted, and to the code, channel and carrier of its last channel message. Days differ
 * in traffic, and today is not over: so what is compared is the share of all messages that ended.
 */
import { FAILURE_DIMENSIONS, type FailureDimension } from '../domain/reports/dimensions.ts';
import { adviceOn } from '../domain/reports/report-advice.ts';
import { DELIVERED, REPORT_CODES, type ReportCode } from '../domain/reports/report-codes.ts';
import { Problem } from '../domain/request/problem.ts';
import type { failures as declared, FailureDay, FailureGroup } from '../operations/failures.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import { nextTurn } from '../platform/next-turn.ts';
import { type Calendar, dateNamed, type FormatTime, nameOfDate } from '../platform/zoned-time.ts';
import type { RollupRow, Store } from '../store/store.ts';
import type { Handlers } from './perform.ts';

/** Days that a day is compared with. */
const DAYS_BEFORE = 7;
/** Groups that are shown; the rest is summed up. */
const MOST_GROUPS = 200;
const DAY_MS = 24 * 3_600_000;

export type Failures = Handlers<OperationsOf<typeof declared>>;

export function createFailures(deps: {
  readonly store: Pick<Store, 'rollups'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly calendar: Calendar;
  readonly countedUntil: () => Promise<number | undefined>;
}): Failures {
  const { store, clock, formatTime, calendar } = deps;

  return {
    async 'GET /failures'({ day, account, by = FAILURE_DIMENSIONS }) {
      const date = day === undefined ? calendar.dateOf(clock.now()) : dateNamed(day);
      if (date === undefined) return new Problem('A300', '"day" must be a date such as 2026-03-02');
      const dates = Array.from(
        { length: DAYS_BEFORE + 1 },
        (_, index) => date - (DAYS_BEFORE - index) * DAY_MS,
      );
      const where = account === undefined ? {} : { account };
      const wanted = ['at', 'code', ...by.filter(name => name !== 'code')] as const;
      const rows: RollupRow[] = [];
      // A day at a time, and others have their turns in between.
      for (const at of dates) {
        await nextTurn();
        const found = await store.rollups.read({
          grain: 'day',
          from: at,
          until: at + DAY_MS,
          where,
          by: wanted,
        });
        rows.push(...found);
      }
      const days = dates.map(at => dayTotals(at, rows));
      const groups = groupsOf(rows, by, dates, days);
      const shown = groups.slice(0, MOST_GROUPS);
      const left = groups.slice(MOST_GROUPS);
      const countedUntil = await deps.countedUntil();
      return {
        day: nameOfDate(date),
        today: nameOfDate(calendar.dateOf(clock.now())),
        from: formatTime(calendar.startOf(date)),
        until: formatTime(calendar.startOf(date + DAY_MS)),
        countedUntil: countedUntil === undefined ? null : formatTime(countedUntil),
        days,
        groups: shown,
        left: { groups: left.length, failed: left.reduce((sum, { failed }) => sum + failed, 0) },
      };
    },
  };

  function dayTotals(at: number, rows: readonly RollupRow[]): FailureDay {
    const own = rows.filter(row => row.at === at);
    return { day: nameOfDate(at), messages: sum(own), failed: sum(own.filter(isFailure)) };
  }
}

const isFailure = ({ code }: RollupRow): boolean => code !== '' && code !== DELIVERED;
const sum = (rows: readonly RollupRow[]): number => rows.reduce((total, { messages }) => total + messages, 0);
const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

function groupsOf(
  rows: readonly RollupRow[],
  by: readonly FailureDimension[],
  dates: readonly number[],
  days: readonly FailureDay[],
): FailureGroup[] {
  const all = Map.groupBy(rows.filter(isFailure), row => JSON.stringify(by.map(name => row[name] ?? '')));
  const [before, day] = [days.slice(0, -1), days.at(-1)];
  const usual = before.reduce((total, { messages }) => total + messages, 0);
  return [...all.values()]
    .map(own => {
      const counts = dates.map(at => sum(own.filter(row => row.at === at)));
      const failed = counts.at(-1) ?? 0;
      const [first] = own;
      const code = by.includes('code') ? (first?.code as ReportCode | undefined) : undefined;
      return {
        ...Object.fromEntries(by.map(name => [name, first?.[name] ?? ''])),
        ...(code !== undefined && { reportText: REPORT_CODES[code] ?? '', advice: adviceOn(code) }),
        failed,
        share: shareOf(failed, day?.failed ?? 0),
        rate: shareOf(failed, day?.messages ?? 0),
        usualRate: shareOf(
          counts.slice(0, -1).reduce((total, count) => total + count, 0),
          usual,
        ),
        days: counts,
      };
    })
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed);
}
