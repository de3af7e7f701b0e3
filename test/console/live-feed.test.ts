import assert from 'node:assert/strict';
import test from 'node:test';
import { type EventStream, openLiveFeed } from '../../console/src/live/live-feed.ts';

const OPEN = 1;
const CLOSED = 2;

class Stream implements EventStream {
  readyState = 0;
  isClosed = false;
  #listeners = new Map<string, (event: { readonly data?: unknown }) => void>();
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void {
    this.#listeners.set(type, listener);
  }
  close(): void {
    this.isClosed = true;
  }
  tell(readyState: number, type: string, data?: unknown): void {
    this.readyState = readyState;
    this.#listeners.get(type)?.({ data });
  }
}

function opened() {
  const streams: Stream[] = [];
  const timers: { readonly ms: number; readonly act: () => void }[] = [];
  const sessions: number[] = [];
  const feed = openLiveFeed(() => {}, {
    open: () => {
      const stream = new Stream();
      streams.push(stream);
      return stream;
    },
    checkSession: async () => sessions.push(streams.length),
    after: (ms, act) => {
      timers.push({ ms, act });
      return () => {};
    },
    onFrame: act => {
      queueMicrotask(act);
      return () => {};
    },
  });
  return { feed, streams, timers, sessions, last: () => streams.at(-1) ?? new Stream() };
}

test('a feed that the gateway refuses is opened again, and the session is checked each time', () => {
  const { feed, streams, timers, sessions, last } = opened();
  for (const [index, ms] of [1000, 2000, 5000, 10_000, 10_000].entries()) {
    last().tell(CLOSED, 'error');
    assert.equal(timers[index]?.ms, ms);
    timers[index]?.act();
  }
  assert.equal(streams.length, 6);
  assert.equal(sessions.length, 5);
  assert.deepEqual([feed.snapshot().isConnected, feed.snapshot().trouble], [false, 'refused']);
  last().tell(OPEN, 'open');
  assert.deepEqual([feed.snapshot().isConnected, feed.snapshot().trouble], [true, undefined]);
});

test('a connection that broke is left to the browser, and the page says that it is not current', () => {
  const { feed, streams, timers, last } = opened();
  last().tell(OPEN, 'open');
  last().tell(0, 'error');
  assert.deepEqual([streams.length, timers.length, feed.snapshot().trouble], [1, 0, 'lost']);
});

const bucket = (at: string, accepted: number, delivered: number) => ({
  ...{ at, accepted, delivered, failed: 0, expired: 0, p50Ms: null, p99Ms: null },
  channels: { sms: { delivered, failed: 0 } },
});

test('the minute that is not over is divided by the seconds that have passed', () => {
  const { feed } = opened();
  const buckets = [bucket('2026-03-02T00:00:00Z', 60, 60), bucket('2026-03-02T00:01:00Z', 20, 10)];
  feed.begin(buckets, 60, Date.parse('2026-03-02T00:01:10Z'));
  const rates = feed
    .snapshot()
    .figures.map(({ seconds, acceptedPerSecond, endedPerSecond }) => [
      seconds,
      acceptedPerSecond,
      endedPerSecond,
    ]);
  assert.deepEqual(rates, [
    [60, 1, 1],
    [10, 2, 1],
  ]);
});

test('shares are of the last five minutes, however long the page is open', () => {
  const { feed, last } = opened();
  feed.begin([bucket('2026-03-02T00:00:00Z', 9, 9)], 60, Date.parse('2026-03-02T00:01:00Z'));
  const tell = (at: string, failed: number) =>
    last().tell(OPEN, 'figures', JSON.stringify({ at, channels: { sms: { delivered: 1, failed } } }));
  tell('2026-03-02T00:01:00Z', 0);
  assert.deepEqual(feed.snapshot().channels, { sms: { delivered: 10, failed: 0 } });
  tell('2026-03-02T00:05:30Z', 2);
  assert.deepEqual(feed.snapshot().channels, { sms: { delivered: 2, failed: 2 } });
});

test('rows of a stream that was opened again continue those before it', async () => {
  const { feed, timers, last } = opened();
  last().tell(OPEN, 'messages', JSON.stringify({ rows: [{ msgKey: 'one' }], skipped: 0 }));
  await Promise.resolve();
  last().tell(CLOSED, 'error');
  timers[0]?.act();
  last().tell(OPEN, 'messages', JSON.stringify({ rows: [{ msgKey: 'other' }], skipped: 0 }));
  await Promise.resolve();
  const rows = feed.snapshot().rows.map(({ id, msgKey }) => [id, msgKey]);
  assert.deepEqual(rows, [
    [1, 'other'],
    [0, 'one'],
  ]);
});
