/**
 * The live feed: the events of this node as they happen, for operators who watch. Each node shows its own events.
 *
 * Nothing is computed while nobody watches. A watcher gets the newest rows four times a second and the number of those
 * that were left out, so a busy gateway costs it no more than a quiet one. One that does not read is sent less, and in
 * the end disconnected: rows must never pile up for it.
 */
import type { Channel } from '../domain/channels/channel.ts';
import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { AccountId, MsgKey } from '../domain/ids.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { Clock } from '../platform/clock.ts';
import { latencyStep, percentileMs } from '../platform/latency.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { QueueDepth } from '../store/store.ts';
import { channelOf, latencyMs, outcomeOf } from './statistics.ts';

export interface LiveRow {
  readonly at: number;
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  /** Null where the message was accepted before anybody watched, or by another node. */
  readonly to: string | null;
  readonly channel: string;
  readonly event: string;
  readonly state: string;
  readonly code?: string;
  readonly carrier?: string;
}

/** Where a watcher's events go. */
export interface Sink {
  send(event: 'messages' | 'figures', data: object): void;
  keepAlive(): void;
  /** True while rows were sent that have not been read. */
  isBehind(): boolean;
  end(): void;
}

interface Watcher {
  readonly sink: Sink;
  readonly account: string | undefined;
  /** A row as this watcher may see it. */
  readonly shown: (row: LiveRow) => LiveRow;
  readonly since: number;
  rows: LiveRow[];
  skipped: number;
  behindSince: number | undefined;
  keptAliveAt: number;
}

const TICK_MS = 250;
const FIGURES_MS = 1000;
const KEEP_ALIVE_MS = 15_000;
const MOST_ROWS = 50;
const MOST_WATCHERS = 50;
/** Our choice: a watcher that has read nothing for this long is disconnected. */
const PATIENCE_MS = 30_000;
/** A watcher must authenticate again after this; browsers reconnect by themselves. */
const LONGEST_WATCH_MS = 15 * 60_000;
const REMEMBERED_RECIPIENTS = 20_000;

/** The state a step is in after each kind of answer. */
const STATE_AFTER: Readonly<Record<string, string>> = {
  accepted: 'submitted',
  permanent: 'failed',
  temporary: 'retrying',
  unknown: 'unknown',
};

export class LiveFeed {
  readonly #clock: Clock;
  readonly #formatTime: FormatTime;
  readonly #depth: () => QueueDepth;
  readonly #watchers = new Set<Watcher>();
  /** Recipients of messages seen while somebody watched: reports do not name them. */
  readonly #recipients = new Map<MsgKey, string>();
  #figures = newFigures(0);
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: {
    readonly clock: Clock;
    readonly formatTime: FormatTime;
    readonly depth: () => QueueDepth;
  }) {
    this.#clock = deps.clock;
    this.#formatTime = deps.formatTime;
    this.#depth = deps.depth;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** False when there are too many watchers already, or it is closed; otherwise the way to stop. */
  watch(sink: Sink, account: string | undefined, shown: Watcher['shown']): (() => void) | false {
    if (this.#isClosed || this.#watchers.size >= MOST_WATCHERS) return false;
    const now = this.#clock.monotonic();
    const watcher: Watcher = {
      ...{ sink, account, shown, since: now, rows: [], skipped: 0 },
      ...{ behindSince: undefined, keptAliveAt: now },
    };
    if (!this.isWatched) this.#begin(now);
    this.#watchers.add(watcher);
    return () => this.#drop(watcher);
  }

  /** Ends every stream, and takes no more: a stream that never ends would keep the server from closing. */
  close(): void {
    this.#isClosed = true;
    for (const { sink } of this.#watchers) sink.end();
    this.#watchers.clear();
    this.#cancel?.();
  }

  accepted(account: AccountId, channel: Channel, messages: readonly { msgKey: MsgKey; to: string }[]): void {
    this.#figures.accepted += messages.length;
    const at = this.#clock.now();
    for (const { msgKey, to } of messages) {
      this.#remember(msgKey, to);
      this.#show({ at, msgKey, account, to, channel, event: 'accepted', state: 'queued' });
    }
  }

  submitted(live: LiveStep, answer: string): void {
    const { msgKey, account, to, carrier } = live;
    const channel = live.flow[live.step]?.channel;
    if (channel === undefined) return;
    this.#remember(msgKey, to);
    const state = STATE_AFTER[answer] ?? answer;
    this.#show({ at: this.#clock.now(), msgKey, account, to, channel, event: 'submitted', state, carrier });
  }

  ended(report: ReportRecord): void {
    const { msgKey, account, serviceType, reportCode, reportedAt, isLast } = report;
    const channel = channelOf(serviceType);
    const outcome = outcomeOf(report);
    const figures = this.#figures;
    figures.channels[channel] ??= { delivered: 0, failed: 0 };
    figures.channels[channel][outcome === 'delivered' ? 'delivered' : 'failed']++;
    const to = this.#recipients.get(msgKey) ?? null;
    if (isLast) {
      figures.ended++;
      const step = latencyStep(latencyMs(msgKey, reportedAt));
      figures.latencies.set(step, (figures.latencies.get(step) ?? 0) + 1);
      this.#recipients.delete(msgKey);
    }
    const event = isLast ? 'ended' : 'fallback';
    this.#show({ at: reportedAt, msgKey, account, to, channel, event, state: outcome, code: reportCode });
  }

  lateDelivery({ msgKey, account, serviceType, reportCode: code, reportedAt: at }: ReportRecord): void {
    const to = this.#recipients.get(msgKey) ?? null;
    const channel = channelOf(serviceType);
    this.#show({ at, msgKey, account, to, channel, event: 'lateDelivery', state: 'delivered', code });
  }

  #remember(msgKey: MsgKey, to: string): void {
    if (this.#recipients.size >= REMEMBERED_RECIPIENTS) this.#recipients.clear();
    this.#recipients.set(msgKey, to);
  }

  #show(row: LiveRow): void {
    for (const watcher of this.#watchers) {
      if (watcher.account !== undefined && watcher.account !== row.account) continue;
      // Cut back to the newest when there are twice as many as are shown: cheaper than moving all of them for each row.
      if (watcher.rows.push(row) < 2 * MOST_ROWS) continue;
      watcher.rows = watcher.rows.slice(-MOST_ROWS);
      watcher.skipped += MOST_ROWS;
    }
  }

  #begin(now: number): void {
    this.#figures = newFigures(now);
    const tick = () => {
      this.#cancel = this.#clock.schedule(TICK_MS, tick);
      this.#tick();
    };
    this.#cancel = this.#clock.schedule(TICK_MS, tick);
  }

  #drop(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.isWatched) return;
    this.#cancel?.();
    this.#recipients.clear();
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    const figures = now - this.#figures.since >= FIGURES_MS ? this.#takeFigures(now) : undefined;
    for (const watcher of [...this.#watchers]) this.#serve(watcher, now, figures);
  }

  #serve(watcher: Watcher, now: number, figures: object | undefined): void {
    const { sink } = watcher;
    if (sink.isBehind()) watcher.behindSince ??= now;
    else watcher.behindSince = undefined;
    const isGone = watcher.behindSince !== undefined && now - watcher.behindSince > PATIENCE_MS;
    if (isGone || now - watcher.since > LONGEST_WATCH_MS) {
      this.#drop(watcher);
      sink.end();
      return;
    }
    if (watcher.behindSince !== undefined) return;
    if (watcher.rows.length > 0) {
      const newest = watcher.rows.slice(-MOST_ROWS);
      const skipped = watcher.skipped + watcher.rows.length - newest.length;
      const rows = newest.map(row => ({ ...watcher.shown(row), at: this.#formatTime(row.at) }));
      sink.send('messages', { rows, skipped });
      watcher.rows = [];
      watcher.skipped = 0;
    }
    if (figures) sink.send('figures', figures);
    if (now - watcher.keptAliveAt < KEEP_ALIVE_MS) return;
    watcher.keptAliveAt = now;
    sink.keepAlive();
  }

  #takeFigures(now: number): object {
    const { since, accepted, ended, channels, latencies } = this.#figures;
    const seconds = (now - since) / 1000;
    const { ready, claimed, awaitingReceipt } = this.#depth();
    this.#figures = newFigures(now);
    return {
      at: this.#formatTime(this.#clock.now()),
      acceptedPerSecond: Math.round(accepted / seconds),
      endedPerSecond: Math.round(ended / seconds),
      channels,
      p50Ms: percentileMs(latencies, 0.5),
      p99Ms: percentileMs(latencies, 0.99),
      queue: { ready, claimed, waiting: awaitingReceipt },
    };
  }
}

function newFigures(since: number) {
  return {
    since,
    accepted: 0,
    ended: 0,
    channels: {} as Record<string, { delivered: number; failed: number }>,
    latencies: new Map<number, number>(),
  };
}
