/**
 * Statistics of the traffic: any range, by time, account, sender, channel, carrier and code. They are read from sums that
 * are counted behind the traffic (rollup-counter.ts), never from messages.
 *
 * Whole days are read as days and what is left at both ends as hours, a few of them at a time, so that a long range does
 * not keep the gateway from its work. Hours are kept for some weeks: before that, a range begins and ends with a day.
 */
import type { Clock } from '../platform/clock.ts';
import { percentileOfRangesMs } from '../platform/latency.ts';
import { nextTurn } from '../platform/next-turn.ts';
import { dayInAnyZone, type FormatTime, startsInAnyZone } from '../platform/zoned-time.ts';
import {
  type CarrierGrain,
  type CarrierSums,
  ROLLUP_DIMENSIONS,
  type RollupDimension,
  type RollupGrain,
  type RollupQuery,
  type RollupRow,
  type RollupSums,
  type Store,
} from '../store/store.ts';

export const TRAFFIC_DIMENSIONS = ROLLUP_DIMENSIONS;
export type TimeUnit = RollupGrain;

export interface TrafficQuery {
  readonly from: number;
  readonly until: number;
  /** A row for each hour or day. */
  readonly unit: TimeUnit | undefined;
  readonly by: readonly RollupDimension[];
  readonly where: RollupQuery['where'];
}

export interface TrafficSums extends Omit<RollupSums, 'latencies'> {
  readonly failed: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface TrafficRow extends TrafficSums, Partial<Readonly<Record<RollupDimension, string>>> {
  readonly at?: string;
}

export interface TrafficReport {
  readonly from: string;
  readonly until: string;
  /** What was accepted before is counted; null if nothing is yet. */
  readonly countedUntil: string | null;
  readonly total: TrafficSums;
  readonly rows: readonly TrafficRow[];
  /** There were more rows; those with most messages are shown. */
  readonly isCut: boolean;
}

export interface CarrierTraffic {
  readonly carrier: string;
  readonly submitted: number;
  readonly refused: number;
  readonly throttled: number;
  readonly buckets: readonly {
    readonly at: string;
    readonly submitted: number;
    readonly refused: number;
    readonly throttled: number;
  }[];
}

/** How long sums are kept; see operate/retention.ts. */
export const HOURS_KEPT_DAYS = 35;
export const DAYS_KEPT = 400;
export const MOST_ROWS = 5000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Stretches of one statement; fewer where the rows of every account are read. */
const AT_ONCE: Readonly<Record<RollupGrain, number>> = { day: 62, hour: 168 };
/** Statements that are under way while an answer is worked on. */
const AHEAD = 2;
const OF_EACH_ACCOUNT_AT_ONCE: Readonly<Record<RollupGrain, number>> = { day: 7, hour: 24 };

export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic(deps: {
  readonly store: Pick<Store, 'rollups'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly dayOf: (at: number) => number;
  readonly countedUntil: () => Promise<number | undefined>;
}) {
  const { store, clock, formatTime, dayOf } = deps;

  /** Sums of the stretches, for each combination that is asked for. */
  async function read(plan: Plan, { unit, by, where }: TrafficQuery): Promise<Sums[]> {
    const sums = new Map<string, Sums>();
    const grouped: RollupQuery['by'] = unit === undefined ? by : ['at', ...by];
    const isByCode = by.includes('code') || where.code !== undefined;
    const isOfEach =
      where.account === undefined &&
      (by.includes('account') || by.includes('sender') || where.sender !== undefined);
    const atOnce = isOfEach ? OF_EACH_ACCOUNT_AT_ONCE : AT_ONCE;
    const questions = (['day', 'hour'] as const).flatMap(grain =>
      chunks(plan[grain], atOnce[grain]).map(at => ({ grain, at, where, by: grouped })),
    );
    const ask = async (question: RollupQuery): Promise<RollupRow[]> => {
      if (question.grain === 'hour') return store.rollups.read(question);
      const starts = question.at.flatMap(day => startsInAnyZone(day, dayOf));
      const rows = await store.rollups.read({ ...question, at: starts });
      return rows.map(row => (row.at === undefined ? row : { ...row, at: dayInAnyZone(row.at, dayOf) }));
    };
    for await (const rows of readAhead(questions, ask)) {
      for (const row of rows) {
        const at = row.at !== undefined && unit === 'day' ? dayOf(row.at) : row.at;
        // Codes are of what has ended: what was accepted cannot be told by them.
        const counted = isByCode ? { ...row, accepted: 0 } : row;
        addTo(sums, unit === undefined ? undefined : at, counted, by);
      }
      await nextTurn();
    }
    return [...sums.values()];
  }

  return {
    /** The day that it is. */
    today: () => dayOf(clock.now()),
    async read(query: TrafficQuery): Promise<TrafficReport> {
      const plan = planOf(query, dayOf, clock.now() - (HOURS_KEPT_DAYS - 1) * DAY_MS);
      const countedUntil = await deps.countedUntil();
      const found = await read(plan, query);
      const total = found.reduce(plus, NOTHING);
      // What is on its way has no code yet.
      const rows = found.filter(({ key }) => key.code !== '').sort(query.unit ? byTime : bySize);
      const shown = rows.length > MOST_ROWS ? largest(rows, query.unit !== undefined) : rows;
      return {
        from: formatTime(plan.from),
        until: formatTime(plan.until),
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
    async carriers(grain: CarrierGrain, from: number, until: number): Promise<CarrierTraffic[]> {
      const rows = await store.rollups.readCarriers(grain, from, until);
      const carriers = [...Map.groupBy(rows, ({ carrier }) => carrier)].map(([carrier, sums]) => ({
        carrier,
        submitted: sumOf(sums, 'submitted'),
        refused: sumOf(sums, 'refused'),
        throttled: sumOf(sums, 'throttled'),
        buckets: sums.map(({ at, submitted, refused, throttled }) => {
          return { at: formatTime(at), submitted, refused, throttled };
        }),
      }));
      return carriers.sort((a, b) => b.submitted - a.submitted || (a.carrier < b.carrier ? -1 : 1));
    },
  };
}

function sumOf(sums: readonly CarrierSums[], name: 'submitted' | 'refused' | 'throttled'): number {
  return sums.reduce((sum, row) => sum + row[name], 0);
}

/** What is read: whole days, and single hours. */
interface Plan {
  readonly from: number;
  readonly until: number;
  readonly day: readonly number[];
  readonly hour: readonly number[];
}

/** From the start of an hour to the end of one; where hours are not kept any more, of a day. */
function planOf(
  { from, until, unit }: TrafficQuery,
  dayOf: (at: number) => number,
  hoursSince: number,
): Plan {
  const days: number[] = [];
  const hours: number[] = [];
  let first: number | undefined;
  let last = from;
  // A day has 23 to 25 hours.
  for (let day = dayOf(from); day < until; day = dayOf(day + 26 * HOUR_MS)) {
    const end = dayOf(day + 26 * HOUR_MS);
    const isWhole = from <= day && end <= until;
    if (unit !== 'hour' && (isWhole || day < hoursSince)) {
      days.push(day);
      first ??= day;
      last = end;
      continue;
    }
    for (let hour = day; hour < Math.min(end, until); hour += HOUR_MS) {
      if (hour + HOUR_MS <= from) continue;
      hours.push(hour);
      first ??= hour;
      last = Math.min(end, hour + HOUR_MS);
    }
  }
  return { from: first ?? from, until: Math.max(last, first ?? from), day: days, hour: hours };
}

interface Sums extends RollupSums {
  readonly at: number | undefined;
  readonly key: Partial<Record<RollupDimension, string>>;
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
  by: readonly RollupDimension[],
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

function shownSums({
  accepted,
  ended,
  messages,
  delivered,
  expired,
  parts,
  latencies,
}: RollupSums): TrafficSums {
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

function chunks<T>(list: readonly T[], size: number): T[][] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size));
}
