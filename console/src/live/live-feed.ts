/**
 * The live events of the gateway. They are collected as they arrive and shown once per animation frame. The number kept is
 * bounded, so that the page does not grow over a day.
 */
import type { State } from '../gateway/messages.ts';
import type { Bucket, Tally } from '../gateway/statistics.ts';
import type { Channel } from '../gateway/steps.ts';

const MOST_ROWS = 500;
/** Somewhat more than the charts show, one each second. */
const MOST_FIGURES = 360;

export interface LiveRow {
  /** Identifies the row; counts up. */
  readonly id: number;
  readonly at: string;
  readonly msgKey: string;
  readonly account: string;
  readonly to: string;
  readonly channel: Channel;
  readonly event: string;
  readonly state: State;
  readonly code?: string;
  readonly carrier?: string;
}

export interface Figures {
  /** Seconds. */
  readonly at: number;
  /** How long they were counted, in seconds. */
  readonly seconds: number;
  readonly acceptedPerSecond: number;
  readonly endedPerSecond: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly queue: { readonly ready: number; readonly claimed: number; readonly waiting: number } | null;
}

export interface Snapshot {
  readonly isConnected: boolean;
  readonly isPaused: boolean;
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** Came while paused, not shown yet. */
  readonly held: number;
  /** Skipped, because there were too many to show one by one. */
  readonly skipped: number;
  readonly figures: readonly Figures[];
  readonly channels: Readonly<Record<string, Tally>>;
}

export interface LiveFeed {
  snapshot(): Snapshot;
  setPaused(isPaused: boolean): void;
  /** Figures from before the page was opened. */
  begin(buckets: readonly Bucket[], bucketSeconds: number): void;
  close(): void;
}

interface FiguresEvent extends Omit<Figures, 'at' | 'seconds'> {
  readonly at: string;
  readonly channels: Readonly<Record<string, Tally>>;
}

/** `changed` is called at most once a frame. */
export function openLiveFeed(changed: () => void): LiveFeed {
  let isConnected = false;
  let isPaused = false;
  let rows: readonly LiveRow[] = [];
  let held: readonly LiveRow[] = [];
  let arrived: LiveRow[] = [];
  let skipped = 0;
  let nextId = 0;
  let figures: readonly Figures[] = [];
  let channels: Readonly<Record<string, Tally>> = {};
  let frame = 0;

  const source = new EventSource('/admin/v1/events', { withCredentials: true });
  source.addEventListener('open', () => {
    isConnected = true;
    draw();
  });
  source.addEventListener('error', () => {
    isConnected = false;
    draw();
  });
  source.addEventListener('messages', event => {
    const data = parse<{ rows: readonly Omit<LiveRow, 'id'>[]; skipped: number }>(event.data);
    for (const row of data?.rows ?? []) arrived.push({ ...row, id: nextId++ });
    // A hidden tab draws no frames: what it would never show is not kept either.
    if (arrived.length > MOST_ROWS) arrived = arrived.slice(-MOST_ROWS);
    skipped += data?.skipped ?? 0;
    draw();
  });
  source.addEventListener('figures', event => {
    const data = parse<FiguresEvent>(event.data);
    if (!data) return;
    const { channels: ended, at, ...rest } = data;
    figures = [...figures, { ...rest, at: Date.parse(at) / 1000, seconds: 1 }].slice(-MOST_FIGURES);
    channels = addTallies(channels, ended ?? {});
    draw();
  });

  function draw(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      const news = arrived.reverse();
      arrived = [];
      if (isPaused) held = [...news, ...held].slice(0, MOST_ROWS);
      else if (news.length > 0) rows = [...news, ...rows].slice(0, MOST_ROWS);
      changed();
    });
  }

  return {
    snapshot: () => ({ isConnected, isPaused, rows, held: held.length, skipped, figures, channels }),
    setPaused(next) {
      isPaused = next;
      if (!isPaused) {
        rows = [...held, ...rows].slice(0, MOST_ROWS);
        held = [];
      }
      draw();
    },
    begin(buckets, bucketSeconds) {
      const first = figures[0]?.at ?? Number.POSITIVE_INFINITY;
      const earlier = buckets.map(bucket => ofBucket(bucket, bucketSeconds)).filter(({ at }) => at < first);
      figures = [...earlier, ...figures].slice(-MOST_FIGURES);
      for (const bucket of buckets) channels = addTallies(channels, bucket.channels);
      draw();
    },
    close() {
      source.close();
      cancelAnimationFrame(frame);
    },
  };
}

function ofBucket(bucket: Bucket, seconds: number): Figures {
  const { at, accepted, delivered, failed, expired, p50Ms, p99Ms } = bucket;
  return {
    at: Date.parse(at) / 1000,
    seconds,
    acceptedPerSecond: accepted / seconds,
    endedPerSecond: (delivered + failed + expired) / seconds,
    p50Ms,
    p99Ms,
    queue: null,
  };
}

function addTallies(
  sums: Readonly<Record<string, Tally>>,
  news: Readonly<Record<string, Tally>>,
): Readonly<Record<string, Tally>> {
  const added = Object.entries(news).map(([channel, { delivered, failed }]) => {
    const sum = sums[channel] ?? { delivered: 0, failed: 0 };
    return [channel, { delivered: sum.delivered + delivered, failed: sum.failed + failed }] as const;
  });
  return { ...sums, ...Object.fromEntries(added) };
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
