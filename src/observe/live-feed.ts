/**
 * The live feed: the events of all nodes as they happen, for operators who watch; those of other nodes come by the store
 * (live-relay.ts).
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
  /** What happened here since somebody watches on another node. */
  #own: Own | undefined;
  /** What other nodes told last. */
  readonly #heard = new Map<string, News>();
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

  /** Somebody watches, here or on another node. */
  get isWatched(): boolean {
    return this.#watchers.size > 0 || this.#own !== undefined;
  }

  get hasWatchers(): boolean {
    return this.#watchers.size > 0;
  }

  /** Whether somebody watches on another node. */
  follow(isFollowed: boolean): void {
    if (!isFollowed) {
      this.#own = undefined;
      if (!this.hasWatchers) this.#recipients.clear();
    } else this.#own ??= { begunAt: this.#clock.now(), shown: 0, rows: [], sums: newFigures(0) };
  }

  /** What happened here, for those who watch on another node: the newest rows, and sums that only grow. */
  news(): string | undefined {
    if (!this.#own) return undefined;
    const { begunAt, shown, rows, sums } = this.#own;
    const { accepted, ended, channels, latencies } = sums;
    const news: News = {
      ...{ begunAt, shown, rows: rows.slice(-MOST_ROWS) },
      ...{ accepted, ended, channels, latencies: [...latencies] },
    };
    return JSON.stringify(news);
  }

  /** What happened on another node. Of a node that is new nothing is known of the time before. */
  hear(node: string, text: string): void {
    const news = parseNews(text);
    if (!news || !this.hasWatchers) return;
    const last = this.#heard.get(node);
    this.#heard.set(node, news);
    const isSame = last?.begunAt === news.begunAt;
    const more = isSame ? news.shown - last.shown : news.rows.length;
    const rows = more > 0 ? news.rows.slice(-more) : [];
    for (const row of rows) this.#showHere(row);
    for (const watcher of this.#watchers) {
      if (watcher.account === undefined) watcher.skipped += more - rows.length;
    }
    if (isSame) this.#addSums(news, last);
  }

  #addSums(news: News, last: News): void {
    const figures = this.#figures;
    figures.accepted += news.accepted - last.accepted;
    figures.ended += news.ended - last.ended;
    for (const [channel, { delivered, failed }] of Object.entries(news.channels)) {
      const before = last.channels[channel] ?? { delivered: 0, failed: 0 };
      figures.channels[channel] ??= { delivered: 0, failed: 0 };
      figures.channels[channel].delivered += delivered - before.delivered;
      figures.channels[channel].failed += failed - before.failed;
    }
    const before = new Map(last.latencies);
    for (const [step, count] of news.latencies) {
      figures.latencies.set(step, (figures.latencies.get(step) ?? 0) + count - (before.get(step) ?? 0));
    }
  }

  /** False when there are too many watchers already, or it is closed; otherwise the way to stop. */
  watch(sink: Sink, account: string | undefined, shown: Watcher['shown']): (() => void) | false {
    if (this.#isClosed || this.#watchers.size >= MOST_WATCHERS) return false;
    const now = this.#clock.monotonic();
    const watcher: Watcher = {
      ...{ sink, account, shown, since: now, rows: [], skipped: 0 },
      ...{ behindSince: undefined, keptAliveAt: now },
    };
    if (!this.hasWatchers) this.#begin(now);
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
    for (const figures of this.#counted()) figures.accepted += messages.length;
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
    const to = this.#recipients.get(msgKey) ?? null;
    for (const figures of this.#counted()) {
      figures.channels[channel] ??= { delivered: 0, failed: 0 };
      figures.channels[channel][outcome === 'delivered' ? 'delivered' : 'failed']++;
      if (!isLast) continue;
      figures.ended++;
      const step = latencyStep(latencyMs(msgKey, reportedAt));
      figures.latencies.set(step, (figures.latencies.get(step) ?? 0) + 1);
    }
    if (isLast) this.#recipients.delete(msgKey);
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

  /** Those who count what happens here. */
  #counted(): Figures[] {
    return this.#own ? [this.#figures, this.#own.sums] : [this.#figures];
  }

  #show(row: LiveRow): void {
    const own = this.#own;
    if (own) {
      own.shown++;
      if (own.rows.push(row) >= 2 * MOST_ROWS) own.rows = own.rows.slice(-MOST_ROWS);
    }
    this.#showHere(row);
  }

  #showHere(row: LiveRow): void {
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
    if (this.hasWatchers) return;
    this.#cancel?.();
    this.#heard.clear();
    if (!this.#own) this.#recipients.clear();
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

interface Own {
  readonly begunAt: number;
  /** Rows so far. */
  shown: number;
  /** The newest. */
  rows: LiveRow[];
  readonly sums: Figures;
}

/** As the nodes write it for each other. */
interface News extends Pick<Own, 'begunAt' | 'shown'> {
  readonly rows: readonly LiveRow[];
  readonly accepted: number;
  readonly ended: number;
  readonly channels: Figures['channels'];
  readonly latencies: readonly (readonly [step: number, count: number])[];
}

/** Undefined for what a node of another version may write. */
function parseNews(text: string): News | undefined {
  const news = JSON.parse(text) as Partial<News>;
  const isKnown =
    typeof news.shown === 'number' &&
    Array.isArray(news.rows) &&
    Array.isArray(news.latencies) &&
    news.channels;
  return isKnown ? (news as News) : undefined;
}

type Figures = ReturnType<typeof newFigures>;

function newFigures(since: number) {
  return {
    since,
    accepted: 0,
    ended: 0,
    channels: {} as Record<string, { delivered: number; failed: number }>,
    latencies: new Map<number, number>(),
  };
}
