/**
 * Brings the live events of all nodes to whoever watches on one of them. Nodes tell in their heartbeat whether somebody
 * watches; while somebody does, the others write their newest rows and sums into the store, four times a second, and the
 * node that is watched reads them. Where nobody watches nothing is written or read.
 */
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import { type Background, backgroundTask } from './background.ts';
import type { Events } from './events.ts';
import type { LiveFeed } from './live-feed.ts';

export function createLiveRelay(deps: {
  readonly store: Pick<Store, 'cluster'>;
  readonly clock: Clock;
  readonly liveFeed: Pick<LiveFeed, 'follow' | 'hasWatchers' | 'hear' | 'news'>;
  readonly node: string;
  /** As the last heartbeat knows it. */
  readonly isWatchedElsewhere: () => boolean;
  readonly isAlone: () => boolean;
  readonly events: Pick<Events, 'failed'>;
}): Background {
  const { store, liveFeed, node, isWatchedElsewhere, isAlone } = deps;
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

  return backgroundTask(deps, 'live events of other nodes', relay);
}
