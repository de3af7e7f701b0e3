/**
 * Statistics of the traffic: any range, by time, account, sender, channel, carrier and code. They are read from sums that
 * are counted behind the traffic (rollup-counter.ts), never from messages.
 *
 * A range of whole days is read from the sums of days, any other from those of hours; never from both, because days keep the
 * boundaries of the time zone in which they were counted. A few are read at a time, so that a long range does not keep the
 * gateway from its work. Hours are kept for some weeks: a range that begins before is widened to whole days.
 */
import type { TrafficDimension } from '../domain/reports/dimensions.ts';
import { HOURS_KEPT_DAYS, MOST_ROWS } from '../domain/reports/traffic-sums.ts';
import type { Clock } from '../platform/clock.ts';
import { percentileOfRangesMs } from '../platform/latency.ts';
import { nextTurn } from '../platform/next-turn.ts';
import type { Calendar, FormatTime } from '../platform/zoned-time.ts';
import type {
  CarrierGrain,
  CarrierSums,
  RollupGrain,
  RollupQuery,
  RollupRow,
  RollupSums,
  Store,
} from '../store/store.ts';

interface TrafficQuery {
  readonly from: number;
  readonly until: number;
  /** A row for each hour or day. */
  readonly unit: RollupGrain | undefined;
  readonly by: readonly TrafficDimension[];
  readonly where: RollupQuery['where'];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LENGTH_MS: Readonly<Record<RollupGrain, number>> = { day: DAY_MS, hour: HOUR_MS };
/**
 * Stretches of one statement; fewer where the rows of every account are read. Offsets of zones are quarters of an hour, so these
 * hours have at most 480 starts: SQLite takes 500 in a statement.
 */
const AT_ONCE: Readonly<Record<RollupGrain, number>> = { day: 62, hour: 120 };
/** Statements that are under way while an answer is worked on. */
const AHEAD = 2;
const OF_EACH_ACCOUNT_AT_ONCE: Readonly<Record<RollupGrain, number>> = { day: 7, hour: 24 };

export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic(deps: {
  readonly store: Pick<Store, 'rollups'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly calendar: Calendar;
  readonly countedUntil: () => Promise<number | undefined>;
}) {
  const { store, clock, formatTime, calendar } = deps;

  /** Sums of the range, for each combination that is asked for. */
  async function read({ grain, from, until }: Plan, { unit, by, where }: TrafficQuery): Promise<Sums[]> {
    const sums = new Map<string, Sums>();
    const grouped: RollupQuery['by'] = unit === undefined ? by : ['at', ...by];
    const isByCode = by.includes('code') || where.code !== undefined;
    const isOfEach =
      where.account === undefined &&
      (by.includes('account') || by.includes('sender') || where.sender !== undefined);
    const atOnce = isOfEach ? OF_EACH_ACCOUNT_AT_ONCE : AT_ONCE;
    const questions = parts(from, until, atOnce[grain] * LENGTH_MS[grain]).map(part => {
      return { grain, ...part, where, by: grouped };
    });
    for await (const rows of readAhead(questions, question => store.rollups.read(question))) {
      for (const row of rows) {
        const at = row.at === undefined || unit !== 'day' ? row.at : dayStart(grain, row.at);
        // Codes are of what has ended: what was accepted cannot be told by them.
        const counted = isByCode ? { ...row, accepted: 0 } : row;
        addTo(sums, unit === undefined ? undefined : at, counted, by);
      }
      await nextTurn();
    }
    return [...sums.values()];
  }

  /** The start of a day, which is named by its date or by an hour of it. */
  function dayStart(grain: RollupGrain, at: number): number {
    return calendar.startOf(grain === 'day' ? at : calendar.dateOf(at));
  }

  /** A range is widened to whole hours, or days. One that reaches beyond now is whole at its end: nothing follows. */
  function planOf({ from, until, unit }: TrafficQuery): Plan {
    const now = clock.now();
    const startOfHour = calendar.hourOf(from);
    const endOfHour = calendar.hourOf(until - 1) + HOUR_MS;
    const [first, last] = [calendar.dateOf(from), calendar.dateOf(until - 1)];
    const start = calendar.startOf(first);
    const end = calendar.startOf(last + DAY_MS);
    const isWhole = from === start && (until === end || endOfHour > now);
    const areHoursKept = start >= now - (HOURS_KEPT_DAYS - 1) * DAY_MS;
    if (unit === 'hour' || (areHoursKept && !isWhole)) {
      return { grain: 'hour', from: startOfHour, until: endOfHour, shown: [startOfHour, endOfHour] };
    }
    const shown = isWhole ? ([from, endOfHour] as const) : ([start, end] as const);
    return { grain: 'day', from: first, until: last + DAY_MS, shown };
  }

  return {
    /** The start of the day that it is. */
    today: () => calendar.startOf(calendar.dateOf(clock.now())),
    async read(query: TrafficQuery) {
      const plan = planOf(query);
      const countedUntil = await deps.countedUntil();
      const found = await read(plan, query);
      const total = found.reduce(plus, NOTHING);
      // What is on its way has no code yet.
      const rows = found.filter(({ key }) => key.code !== '').sort(query.unit ? byTime : bySize);
      const shown = rows.length > MOST_ROWS ? largest(rows, query.unit !== undefined) : rows;
      return {
        from: formatTime(plan.shown[0]),
        until: formatTime(plan.shown[1]),
        countedUntil: countedUntil === undefined ? null : formatTime(countedUntil),
        total: shownSums(total),
        rows: shown.map(({ at, key, ...sums }) => ({
          ...(at !== undefined && { at: formatTime(at) }),
          ...key,
          ...shownSums(sums),
        })),
        isCut: shown.length < rows.length,
      };
    },
    /** What went to carriers, the busiest first. */
    async carriers(grain: CarrierGrain, from: number, until: number) {
      const isByDay = grain === 'day';
      const [start, end] = isByDay
        ? [calendar.dateOf(from), calendar.dateOf(until - 1) + DAY_MS]
        : [from, until];
      const rows = await store.rollups.readCarriers(grain, start, end);
      const carriers = [...Map.groupBy(rows, ({ carrier }) => carrier)].map(([carrier, sums]) => ({
        carrier,
        submitted: sumOf(sums, 'submitted'),
        refused: sumOf(sums, 'refused'),
        throttled: sumOf(sums, 'throttled'),
        buckets: sums.map(({ at, submitted, refused, throttled }) => {
          return { at: formatTime(isByDay ? calendar.startOf(at) : at), submitted, refused, throttled };
        }),
      }));
      return carriers.sort((a, b) => b.submitted - a.submitted || (a.carrier < b.carrier ? -1 : 1));
    },
  };
}

function sumOf(sums: readonly CarrierSums[], name: 'submitted' | 'refused' | 'throttled'): number {
  return sums.reduce((sum, row) => sum + row[name], 0);
}

/** What is read: hours, or days by their dates. */
interface Plan {
  readonly grain: RollupGrain;
  readonly from: number;
  readonly until: number;
  /** The range that the answer names. */
  readonly shown: readonly [from: number, until: number];
}

interface Sums extends RollupSums {
  readonly at: number | undefined;
  readonly key: Partial<Record<TrafficDimension, string>>;
  /** The values of the key; also decides between rows of one size. */
  readonly name: string;
}

const NOTHING: Sums = {
  at: undefined,
  key: {},
  name: '',
  accepted: 0,
  ended: 0,
  messages: 0,
  delivered: 0,
  expired: 0,
  parts: 0,
  latencies: [],
};

function addTo(
  sums: Map<string, Sums>,
  at: number | undefined,
  row: RollupRow,
  by: readonly TrafficDimension[],
): void {
  const name = by.map(dimension => row[dimension]).join('\t');
  const id = `${at}\t${name}`;
  const before = sums.get(id);
  if (before) {
    sums.set(id, plus(before, row));
    return;
  }
  // Most combinations come once: nothing is added up for them, which is half of the time of a long answer.
  const { accepted, ended, messages, delivered, expired, parts, latencies } = row;
  const key = Object.fromEntries(by.map(dimension => [dimension, row[dimension] ?? '']));
  sums.set(id, { at, key, name, accepted, ended, messages, delivered, expired, parts, latencies });
}

function plus(sums: Sums, row: RollupSums): Sums {
  return {
    at: sums.at,
    key: sums.key,
    name: sums.name,
    accepted: sums.accepted + row.accepted,
    ended: sums.ended + row.ended,
    messages: sums.messages + row.messages,
    delivered: sums.delivered + row.delivered,
    expired: sums.expired + row.expired,
    parts: sums.parts + row.parts,
    latencies: row.latencies.map((count, range) => count + (sums.latencies[range] ?? 0)),
  };
}

function shownSums({ accepted, ended, messages, delivered, expired, parts, latencies }: RollupSums) {
  return {
    accepted,
    ended,
    messages,
    delivered,
    failed: ended - delivered - expired,
    expired,
    parts,
    p50Ms: percentileOfRangesMs(latencies, 0.5),
    p95Ms: percentileOfRangesMs(latencies, 0.95),
    p99Ms: percentileOfRangesMs(latencies, 0.99),
  };
}

const sizeOf = ({ accepted, ended }: RollupSums): number => Math.max(accepted, ended);
const bySize = (a: Sums, b: Sums): number => sizeOf(b) - sizeOf(a) || (a.name < b.name ? -1 : 1);
const byTime = (a: Sums, b: Sums): number => (a.at ?? 0) - (b.at ?? 0) || bySize(a, b);

function largest(rows: readonly Sums[], isByTime: boolean): Sums[] {
  const kept = rows.toSorted(bySize).slice(0, MOST_ROWS);
  return isByTime ? kept.sort(byTime) : kept;
}

/** One answer after another; a database elsewhere prepares the next ones while this one is worked on. */
async function* readAhead<Question, Answer>(
  questions: readonly Question[],
  read: (question: Question) => Promise<Answer>,
): AsyncGenerator<Answer> {
  const asked: Promise<Answer>[] = [];
  for (let index = 0; index < questions.length; index++) {
    for (const question of questions.slice(index + asked.length, index + AHEAD + 1)) {
      const answer = read(question);
      // Whoever waits for it hears of a failure; it may come before.
      answer.catch(() => {});
      asked.push(answer);
    }
    yield await (asked.shift() as Promise<Answer>);
  }
}

function parts(from: number, until: number, lengthMs: number): { from: number; until: number }[] {
  const count = Math.ceil((until - from) / lengthMs);
  return Array.from({ length: count }, (_, index) => {
    const start = from + index * lengthMs;
    return { from: start, until: Math.min(start + lengthMs, until) };
  });
}
