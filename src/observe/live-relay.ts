/**
 * Brings the live events of all nodes to whoever watches on one of them. Nodes tell in their heartbeat whether somebody
 * watches; while somebody does, the others write their newest rows and sums into the store, four times a second, and the
 * node that is watched reads them. Where nobody watches nothing is written or read.
 */
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import type { LiveFeed } from './live-feed.ts';

const INTERVAL_MS = 250;

export function createLiveRelay(deps: {
  readonly store: Pick<Store, 'cluster'>;
  readonly clock: Clock;
  readonly liveFeed: Pick<LiveFeed, 'follow' | 'hasWatchers' | 'hear' | 'news'>;
  readonly node: string;
  /** As the last heartbeat knows it. */
  readonly isWatchedElsewhere: () => boolean;
  readonly isAlone: () => boolean;
  readonly onFailure: (error: unknown) => void;
}): Pick<Repeater, 'start' | 'stop'> {
  const { store, clock, liveFeed, node, isWatchedElsewhere, isAlone } = deps;
  let told: string | undefined;

  async function relay(): Promise<void> {
    const isFollowed = isWatchedElsewhere();
    liveFeed.follow(isFollowed);
    const news = isFollowed ? liveFeed.news() : undefined;
    if (news !== told) {
      await store.cluster.tellNews(node, news);
      told = news;
    }
    if (!liveFeed.hasWatchers || isAlone()) return;
    for (const other of await store.cluster.newsOfOthers(node)) liveFeed.hear(other.node, other.news);
  }

  return new Repeater(clock, INTERVAL_MS, relay, deps.onFailure);
}
