/** What operators read of the sums of the traffic. */
import { DAYS_KEPT, HOURS_KEPT_DAYS } from '../domain/reports/traffic-sums.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Traffic } from '../observe/traffic.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { traffic as declared } from '../operations/traffic.ts';
import type { Clock } from '../platform/clock.ts';
import type { Handlers } from './perform.ts';

const HOUR_MS = 3_600_000;
/** How far apart the ends of a range may be, by the length of its buckets. */
const LONGEST_DAYS = { minute: 1, hour: HOURS_KEPT_DAYS, day: DAYS_KEPT } as const;

export function trafficHandlers({
  traffic,
  clock,
}: {
  readonly traffic: Traffic;
  readonly clock: Clock;
}): Handlers<OperationsOf<typeof declared>> {
  return {
    async 'GET /statistics/traffic'({ from = traffic.today(), until = clock.now(), by: asked, ...where }) {
      const { unit, by = [] } = asked ?? {};
      const problem = rangeProblem(from, until, LONGEST_DAYS[unit ?? 'day']);
      return problem ?? traffic.read({ from, until, unit, by, where });
    },
    async 'GET /statistics/carriers'({ from, until = clock.now(), bucket = 'minute' }) {
      const start = from ?? clock.now() - HOUR_MS;
      const problem = rangeProblem(start, until, LONGEST_DAYS[bucket]);
      return problem ?? { carriers: await traffic.carriers(bucket, start, until) };
    },
  };
}

function rangeProblem(from: number, until: number, longestDays: number): Problem | undefined {
  if (until <= from) return new Problem('A300', '"until" must be after "from"');
  if (until - from <= longestDays * 24 * HOUR_MS) return undefined;
  return new Problem('A300', `"from" must be at most ${longestDays} days before "until"`);
}
