import { useEffect, useState } from 'preact/hooks';
import { askMember } from '../gateway/operations.ts';
import { readSession } from '../gateway/session.ts';
import { type FeedSurroundings, type LiveFeed, openLiveFeed, type Snapshot } from './live-feed.ts';

const BEFORE_MS = 6 * 60_000;
const BUCKET_SECONDS = 60;

const BROWSER: FeedSurroundings = {
  open: () => new EventSource('/admin/v1/events', { withCredentials: true }),
  checkSession: () => readSession(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  onFrame(act) {
    const frame = requestAnimationFrame(act);
    return () => cancelAnimationFrame(frame);
  },
};

export interface Live {
  readonly snapshot: Snapshot | undefined;
  readonly setPaused: (isPaused: boolean) => void;
}

/** The feed while a page shows it; closed with the page. */
export function useLiveFeed(): Live {
  const [feed, setFeed] = useState<LiveFeed | undefined>();
  const [snapshot, setSnapshot] = useState<Snapshot | undefined>();

  useEffect(() => {
    const opened = openLiveFeed(() => setSnapshot(opened.snapshot()), BROWSER);
    setFeed(opened);
    const abort = new AbortController();
    const now = Date.now();
    const period = {
      from: new Date(now - BEFORE_MS).toISOString(),
      until: new Date(now).toISOString(),
      bucket: String(BUCKET_SECONDS),
    };
    askMember('GET /statistics', 'buckets', period)
      .ask(abort.signal, undefined)
      .then(
        buckets => opened.begin(buckets, BUCKET_SECONDS, now),
        // The charts then start empty and fill up.
        () => {},
      );
    return () => {
      abort.abort();
      opened.close();
    };
  }, []);

  return { snapshot, setPaused: isPaused => feed?.setPaused(isPaused) };
}
