import { CHANNELS, channelNamed } from '../../domain/channels/channel.ts';
import { Problem } from '../../domain/request/problem.ts';
import {
  DAYS_KEPT,
  HOURS_KEPT_DAYS,
  type TimeUnit,
  TRAFFIC_DIMENSIONS,
  type Traffic,
  type TrafficQuery,
} from '../../observe/traffic.ts';
import type { Clock } from '../../platform/clock.ts';
import { MOMENT_FORM, parseMoment } from '../../platform/moment.ts';
import { parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_DIMENSIONS = 3;
const LONGEST_VALUE = 100;

/** How far back what went to carriers may be asked for at once, by the length of its buckets. */
const LONGEST_MS = { minute: DAY_MS, hour: HOURS_KEPT_DAYS * DAY_MS, day: DAYS_KEPT * DAY_MS } as const;

type Query = Readonly<Record<string, unknown>>;

/** `/admin/v1/statistics/traffic` and `/admin/v1/statistics/carriers`: sums of the traffic over any range. */
export function operatorTrafficRoutes(deps: {
  readonly route: OperatorRoute;
  readonly traffic: Traffic;
  readonly clock: Clock;
}): void {
  const { route, traffic, clock } = deps;

  route('GET', '/admin/v1/statistics/traffic', 'viewer', async ({ query }) => {
    const asked = parseQuery(query, { from: traffic.today(), until: clock.now() });
    return asked instanceof Problem ? asked : traffic.read(asked);
  });

  route('GET', '/admin/v1/statistics/carriers', 'viewer', async ({ query }) => {
    const bucket = parseText(query, 'bucket') ?? 'minute';
    if (bucket !== 'minute' && bucket !== 'hour' && bucket !== 'day') {
      return new Problem('A300', '"bucket" must be minute, hour or day');
    }
    const now = clock.now();
    const range = parseRange(query, { from: now - HOUR_MS, until: now }, LONGEST_MS[bucket]);
    if (range instanceof Problem) return range;
    return { carriers: await traffic.carriers(bucket, range.from, range.until) };
  });
}

function parseQuery(query: Query, usual: Range): TrafficQuery | Problem {
  const names = (parseText(query, 'by') ?? '').split(',').filter(name => name !== '');
  const units = names.filter((name): name is TimeUnit => name === 'hour' || name === 'day');
  const by = TRAFFIC_DIMENSIONS.filter(dimension => names.includes(dimension));
  if (units.length > 1 || by.length > MOST_DIMENSIONS || units.length + by.length !== names.length) {
    return new Problem(
      'A300',
      `"by" must be hour or day, and up to ${MOST_DIMENSIONS} of ${TRAFFIC_DIMENSIONS.join(', ')}`,
    );
  }
  const [unit] = units;
  const longestMs = (unit === 'hour' ? HOURS_KEPT_DAYS : DAYS_KEPT) * DAY_MS;
  const range = parseRange(query, usual, longestMs);
  if (range instanceof Problem) return range;
  const where: Record<string, string> = {};
  for (const dimension of TRAFFIC_DIMENSIONS) {
    const value = parseText(query, dimension);
    if (value === undefined) continue;
    if (value.length > LONGEST_VALUE) {
      return new Problem('A300', `"${dimension}" must be text of at most ${LONGEST_VALUE} characters`);
    }
    where[dimension] = value;
  }
  if (where.channel !== undefined && channelNamed(where.channel) === undefined) {
    return new Problem('A300', `"channel" must be one of ${CHANNELS.join(', ')}`);
  }
  return { ...range, unit, by, where };
}

interface Range {
  readonly from: number;
  readonly until: number;
}

function parseRange(query: Query, usual: Range, longestMs: number): Range | Problem {
  const times = { ...usual };
  for (const name of ['from', 'until'] as const) {
    const given = parseText(query, name);
    const time = given === undefined ? times[name] : parseMoment(given);
    if (time === undefined) return new Problem('A300', `"${name}" must be ${MOMENT_FORM}`);
    times[name] = time;
  }
  if (times.until <= times.from) return new Problem('A300', '"until" must be after "from"');
  if (times.until - times.from > longestMs) {
    return new Problem(
      'A300',
      `"from" must be at most ${Math.round(longestMs / DAY_MS)} days before "until"`,
    );
  }
  return times;
}
