import { Problem } from '../../domain/request/problem.ts';
import type { Statistics } from '../../observe/statistics.ts';
import type { Clock } from '../../platform/clock.ts';
import { MOMENT_FORM, parseMoment } from '../../platform/moment.ts';
import { parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const HOUR_MS = 3_600_000;
const MOST_BUCKETS = 1500;
const LONGEST_BUCKET_S = 86_400;

/** `/admin/v1/statistics`: numbers over time. */
export function operatorStatisticsRoutes(deps: {
  readonly route: OperatorRoute;
  readonly statistics: Statistics;
  readonly clock: Clock;
}): void {
  deps.route('GET', '/admin/v1/statistics', 'viewer', async ({ query }) => {
    const stretch = parseStretch(query, deps.clock.now());
    if (stretch instanceof Problem) return stretch;
    return { buckets: await deps.statistics.read(stretch.from, stretch.until, stretch.bucketMs) };
  });
}

/** The last hour by the minute, unless the query says otherwise. */
function parseStretch(
  query: Readonly<Record<string, unknown>>,
  now: number,
): { readonly from: number; readonly until: number; readonly bucketMs: number } | Problem {
  const seconds = Number(parseText(query, 'bucket') ?? 60);
  if (!Number.isInteger(seconds / 60) || seconds < 60 || seconds > LONGEST_BUCKET_S) {
    return new Problem(
      'A300',
      `"bucket" must be a number of seconds in whole minutes, from 60 to ${LONGEST_BUCKET_S}`,
    );
  }
  const times = { from: now - HOUR_MS, until: now };
  for (const name of ['from', 'until'] as const) {
    const given = parseText(query, name);
    const time = given === undefined ? times[name] : parseMoment(given);
    if (time === undefined) {
      return new Problem('A300', `"${name}" must be ${MOMENT_FORM}`);
    }
    times[name] = time;
  }
  const bucketMs = seconds * 1000;
  if ((times.until - times.from) / bucketMs > MOST_BUCKETS) {
    return new Problem(
      'A300',
      `"bucket" is too small: the answer would have more than ${MOST_BUCKETS} buckets`,
    );
  }
  return { ...times, bucketMs };
}
