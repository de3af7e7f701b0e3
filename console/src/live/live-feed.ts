/**
 * The live events of the gateway. They are collected as they arrive and shown once per animation frame. The number kept is
 * bounded, so that the page does not grow over a day.
 */

import type { BucketView as Bucket, TallyView as Tally } from '../../../src/operations/statistics.ts';
import type { State } from '../gateway/messages.ts';
import type { Channel } from '../gateway/steps.ts';

const MOST_ROWS = 500;
/** What the charts show, and what shares are of. */
export const WINDOW_SECONDS = 300;
/** Somewhat more, one each second. */
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
  readonly channels: Readonly<Record<string, Tally>>;
}

export interface Snapshot {
  readonly isConnected: boolean;
  /** Why what is shown is not current: the connection broke, or the gateway has refused it more than once. It is tried again. */
  readonly trouble: 'lost' | 'refused' | undefined;
  readonly isPaused: boolean;
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** Came while paused, not shown yet. */
  readonly held: number;
  /** Skipped, because there were too many to show one by one. */
  readonly skipped: number;
  readonly figures: readonly Figures[];
  /** Covers the newest WINDOW_SECONDS. */
  readonly channels: Readonly<Record<string, Tally>>;
}

export interface LiveFeed {
  snapshot(): Snapshot;
  setPaused(isPaused: boolean): void;
  /** Figures from before the page was opened, which is `untilMs`: the last bucket is not over then. */
  begin(buckets: readonly Bucket[], bucketSeconds: number, untilMs: number): void;
  close(): void;
}

interface FiguresEvent extends Omit<Figures, 'at' | 'seconds'> {
  readonly at: string;
}

/** As much of an EventSource as is used. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

export interface FeedSurroundings {
  readonly open: () => EventStream;
  /** Fails when nobody is signed in, which then shows the sign-in page. */
  readonly checkSession: () => Promise<unknown>;
  readonly after: (ms: number, act: () => void) => () => void;
  /** Before the next frame is drawn; returns what cancels it. */
  readonly onFrame: (act: () => void) => () => void;
}

/** The browser connects again by itself, unless the gateway refused: it then closes the stream for good. */
const CLOSED = 2;
const AGAIN_MS = [1000, 2000, 5000, 10_000] as const;
const LONGEST_AGAIN_MS = 10_000;

/** `changed` is called at most once a frame. */
export function openLiveFeed(changed: () => void, surroundings: FeedSurroundings): LiveFeed {
  let isConnected = false;
  let isPaused = false;
  let rows: readonly LiveRow[] = [];
  let held: readonly LiveRow[] = [];
  let arrived: LiveRow[] = [];
  let skipped = 0;
  let nextId = 0;
  let figures: readonly Figures[] = [];
  let wasConnected = false;
  /** Streams in a row that the gateway closed before they began. */
  let refused = 0;
  let cancelFrame: (() => void) | undefined;
  let cancelAgain = (): void => {};
  let stream = connect();

  function connect(): EventStream {
    const opened = surroundings.open();
    opened.addEventListener('open', () => {
      isConnected = true;
      wasConnected = true;
      refused = 0;
      draw();
    });
    opened.addEventListener('error', () => {
      isConnected = false;
      if (opened.readyState === CLOSED && opened === stream) connectAgain();
      draw();
    });
    opened.addEventListener('messages', event => {
      const data = parse<{ rows: readonly Omit<LiveRow, 'id'>[]; skipped: number }>(event.data);
      for (const row of data?.rows ?? []) arrived.push({ ...row, id: nextId++ });
      // A hidden tab draws no frames: what it would never show is not kept either.
      if (arrived.length > MOST_ROWS) arrived = arrived.slice(-MOST_ROWS);
      skipped += data?.skipped ?? 0;
      draw();
    });
    opened.addEventListener('figures', event => {
      const data = parse<FiguresEvent>(event.data);
      if (!data) return;
      const { at, ...rest } = data;
      figures = [...figures, { ...rest, at: Date.parse(at) / 1000, seconds: 1 }].slice(-MOST_FIGURES);
      draw();
    });
    return opened;
  }

  /** The browser does not tell why a stream was refused: the session is over, or too many are open. */
  function connectAgain(): void {
    refused += 1;
    surroundings.checkSession().catch(() => {});
    cancelAgain = surroundings.after(AGAIN_MS[refused - 1] ?? LONGEST_AGAIN_MS, () => {
      stream = connect();
    });
  }

  function troubleNow(): Snapshot['trouble'] {
    if (refused > 1) return 'refused';
    return wasConnected && !isConnected ? 'lost' : undefined;
  }

  function draw(): void {
    cancelFrame ??= surroundings.onFrame(() => {
      cancelFrame = undefined;
      const news = arrived.reverse();
      arrived = [];
      if (isPaused) held = [...news, ...held].slice(0, MOST_ROWS);
      else if (news.length > 0) rows = [...news, ...rows].slice(0, MOST_ROWS);
      changed();
    });
  }

  return {
    snapshot: () => ({
      isConnected,
      trouble: troubleNow(),
      isPaused,
      rows,
      held: held.length,
      skipped,
      figures,
      channels: talliesOf(figures),
    }),
    setPaused(next) {
      isPaused = next;
      if (!isPaused) {
        rows = [...held, ...rows].slice(0, MOST_ROWS);
        held = [];
      }
      draw();
    },
    begin(buckets, bucketSeconds, untilMs) {
      const first = figures[0]?.at ?? Number.POSITIVE_INFINITY;
      const earlier = buckets
        .map(bucket => ofBucket(bucket, Math.min(bucketSeconds, (untilMs - Date.parse(bucket.at)) / 1000)))
        .filter(({ at }) => at < first);
      figures = [...earlier, ...figures].slice(-MOST_FIGURES);
      draw();
    },
    close() {
      stream.close();
      cancelAgain();
      cancelFrame?.();
    },
  };
}

function ofBucket(bucket: Bucket, counted: number): Figures {
  const { at, accepted, delivered, failed, expired, channels, p50Ms, p99Ms } = bucket;
  const seconds = Math.max(1, counted);
  return {
    at: Date.parse(at) / 1000,
    seconds,
    channels,
    acceptedPerSecond: accepted / seconds,
    endedPerSecond: (delivered + failed + expired) / seconds,
    p50Ms,
    p99Ms,
    queue: null,
  };
}

function talliesOf(figures: readonly Figures[]): Readonly<Record<string, Tally>> {
  const since = (figures.at(-1)?.at ?? 0) - WINDOW_SECONDS;
  return figures
    .filter(({ at }) => at >= since)
    .reduce<Readonly<Record<string, Tally>>>((sums, { channels }) => addTallies(sums, channels ?? {}), {});
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

function parse<T>(text: unknown): T | undefined {
  try {
    return JSON.parse(String(text)) as T;
  } catch {
    return undefined;
  }
}
