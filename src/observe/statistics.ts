/**
 * Numbers of the traffic by the minute: messages accepted and ended, steps by channel, and how long messages took.
 *
 * Counting is a few additions in memory; the sums are written every few seconds in one small write, and added to those
 * of other nodes. A crash loses the last seconds of numbers, never a message.
 */
import { CHANNELS, serviceTypeOf } from '../domain/channels/channel.ts';
import { familyOf } from '../domain/channels/channel-table.ts';
import { type MsgKey, timeOfPrefix } from '../domain/ids.ts';
import { DELIVERED, type ReportCode, SILENCE_CODE } from '../domain/reports/report-codes.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { Clock } from '../platform/clock.ts';
import { latencyStep, percentileMs } from '../platform/latency.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Statistic, Store } from '../store/store.ts';
import type { FailureEvents } from './background.ts';
import { SumsWriter } from './sums-writer.ts';

export type Outcome = 'delivered' | 'failed' | 'expired';

export interface StatisticBucket {
  readonly at: string;
  accepted: number;
  delivered: number;
  failed: number;
  expired: number;
  readonly channels: Record<string, { delivered: number; failed: number }>;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

const MINUTE_MS = 60_000;
const LATENCY = 'latency ';

interface Service {
  readonly channel: string;
  /** The code of silence; undefined where none is known. */
  readonly silence: ReportCode | undefined;
  readonly delivered: string;
  readonly failed: string;
}

/** By service type, which is a channel in capitals; made once, not for every message. */
const SERVICES: ReadonlyMap<string, Service> = new Map(
  CHANNELS.map(channel => [serviceTypeOf(channel), serviceNamed(channel, SILENCE_CODE[familyOf(channel)])]),
);
const OTHER = serviceNamed('other', undefined);

function serviceNamed(channel: string, silence: ReportCode | undefined): Service {
  return { channel, silence, delivered: `${channel} delivered`, failed: `${channel} failed` };
}

function serviceOf(serviceType: string): Service {
  return SERVICES.get(serviceType) ?? OTHER;
}

export function outcomeOf({ reportCode, serviceType }: ReportRecord): Outcome {
  if (reportCode === DELIVERED) return 'delivered';
  return reportCode === serviceOf(serviceType).silence ? 'expired' : 'failed';
}

export function channelOf(serviceType: string): string {
  return serviceOf(serviceType).channel;
}

/** From accept to the end: a message key holds the time at which it was made. */
export function latencyMs(msgKey: MsgKey, endedAt: number): number {
  return Math.max(0, endedAt - (timeOfPrefix(msgKey) ?? endedAt));
}

export class Statistics {
  readonly #store: Pick<Store, 'statistics'>;
  readonly #clock: Clock;
  readonly #formatTime: FormatTime;
  readonly #writer: SumsWriter<Statistic>;
  /** Counts that were not given to the writer yet, by minute, then by name. */
  #pending = new Map<number, Map<string, number>>();

  constructor(deps: {
    readonly store: Pick<Store, 'statistics'>;
    readonly clock: Clock;
    readonly formatTime: FormatTime;
    readonly node: string;
    readonly events: FailureEvents;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#formatTime = deps.formatTime;
    this.#writer = new SumsWriter({
      clock: deps.clock,
      events: deps.events,
      task: 'write statistics',
      writer: `${deps.node} statistics`,
      take: () => this.#take(),
      add: batch => deps.store.statistics.add(batch),
    });
  }

  /** Begins to write the counts. */
  start(): void {
    this.#writer.start();
  }

  /** Writes the counts for the last time, if the store takes them. */
  stop(): Promise<void> {
    return this.#writer.stop();
  }

  accepted(messages: number): void {
    add(this.#minute(), 'accepted', messages);
  }

  ended(report: ReportRecord): void {
    const minute = this.#minute();
    const outcome = outcomeOf(report);
    const service = serviceOf(report.serviceType);
    add(minute, outcome === 'delivered' ? service.delivered : service.failed, 1);
    if (!report.isLast) return;
    add(minute, outcome, 1);
    add(minute, LATENCY + latencyStep(latencyMs(report.msgKey, report.reportedAt)), 1);
  }

  #take(): Statistic[] {
    const counted = rowsOf(this.#pending);
    this.#pending = new Map();
    return counted;
  }

  /**
   * Sums from a moment until another, in stretches of `bucketMs`, which are whole minutes. Counts that are being written are left
   * out until it is certain that they were.
   */
  async read(from: number, until: number, bucketMs: number): Promise<StatisticBucket[]> {
    const stored = await this.#store.statistics.between(from, until);
    const pending = rowsOf(this.#pending).filter(({ at }) => at >= from && at < until);
    const byBucket = Map.groupBy([...stored, ...pending], ({ at }) => Math.floor(at / bucketMs) * bucketMs);
    const buckets: StatisticBucket[] = [];
    for (let at = Math.floor(from / bucketMs) * bucketMs; at < until; at += bucketMs) {
      buckets.push(bucketOf(this.#formatTime(at), byBucket.get(at) ?? []));
    }
    return buckets;
  }

  #minute(): Map<string, number> {
    const at = this.#clock.now();
    const start = at - (at % MINUTE_MS);
    let minute = this.#pending.get(start);
    if (!minute) {
      minute = new Map();
      this.#pending.set(start, minute);
    }
    return minute;
  }
}

function add<K>(counts: Map<K, number>, key: K, value: number): void {
  counts.set(key, (counts.get(key) ?? 0) + value);
}

function rowsOf(minutes: ReadonlyMap<number, ReadonlyMap<string, number>>): Statistic[] {
  return [...minutes].flatMap(([at, counts]) => [...counts].map(([name, value]) => ({ at, name, value })));
}

function bucketOf(at: string, rows: readonly Statistic[]): StatisticBucket {
  const sums = { accepted: 0, delivered: 0, failed: 0, expired: 0 };
  const channels: StatisticBucket['channels'] = {};
  const latencies = new Map<number, number>();
  for (const { name, value } of rows) {
    const [first = '', second = ''] = name.split(' ');
    if (name.startsWith(LATENCY)) add(latencies, Number(second), value);
    else if (first in sums) sums[first as keyof typeof sums] += value;
    else {
      channels[first] ??= { delivered: 0, failed: 0 };
      channels[first][second === 'delivered' ? 'delivered' : 'failed'] += value;
    }
  }
  return { at, ...sums, channels, p50Ms: percentileMs(latencies, 0.5), p99Ms: percentileMs(latencies, 0.99) };
}
