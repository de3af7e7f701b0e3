/** Puts observe/ together: events with their counters, the live feed, statistics, sums of the traffic and the search index. */
import { CarrierSumsWriter } from '../observe/carrier-sums.ts';
import { createEvents, type Events } from '../observe/events.ts';
import { LiveFeed } from '../observe/live-feed.ts';
import type { Metrics } from '../observe/metrics.ts';
import { RollupCounter } from '../observe/rollup-counter.ts';
import { SearchIndexer } from '../observe/search-indexer.ts';
import { Statistics } from '../observe/statistics.ts';
import { createTraffic, type Traffic } from '../observe/traffic.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Calendar, FormatTime } from '../platform/zoned-time.ts';
import type { QueueDepth, Store } from '../store/store.ts';

export interface Observing {
  readonly events: Events;
  readonly statistics: Statistics;
  readonly liveFeed: LiveFeed;
  readonly searchIndexer: SearchIndexer;
  readonly rollupCounter: RollupCounter;
  readonly carrierSums: CarrierSumsWriter;
  readonly traffic: Traffic;
}

export function composeObserving(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly formatTime: FormatTime;
  readonly calendar: Calendar;
  readonly node: string;
  /** The queue as it was a moment ago. */
  readonly queueDepth: () => QueueDepth;
}): Observing {
  const { store, clock, log, metrics, formatTime, calendar, node, queueDepth } = deps;
  const statistics = new Statistics({
    store,
    clock,
    formatTime,
    node,
    events: { failed: (where, error) => events.failed(where, error) },
  });
  const liveFeed = new LiveFeed({ clock, formatTime, depth: queueDepth });
  const events = createEvents({ log, metrics, clock, statistics, liveFeed });
  const searchIndexer = new SearchIndexer({ store, clock, events });
  const rollupCounter = new RollupCounter({ store, clock, events, calendar });
  const carrierSums = new CarrierSumsWriter({ store, clock, events, calendar, node });
  const traffic = createTraffic({
    store,
    clock,
    formatTime,
    calendar,
    countedUntil: () => rollupCounter.countedUntil(),
  });
  return { events, statistics, liveFeed, searchIndexer, rollupCounter, carrierSums, traffic };
}
