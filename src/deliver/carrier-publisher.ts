/** Publishes the state of this node's carriers: in the metrics every second, in the store when it has changed. */

import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import { type CarrierView, PUBLISH_INTERVAL_MS } from './carriers.ts';

const INTERVAL_MS = 1000;

export type CarrierPublisher = Pick<Repeater, 'start' | 'stop'>;

export function createCarrierPublisher(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly node: string;
  readonly views: () => readonly CarrierView[];
}): CarrierPublisher {
  const { store, clock, events, metrics, node, views } = deps;
  const throttledOf = new Map<string, number>();
  let published = '';
  let publishAgainAt = 0;

  async function publish(): Promise<void> {
    const reports = views().map(view => ({ carrier: view.name, report: JSON.stringify(view) }));
    for (const { name, state, inFlight, window, rate, foundRate, throttled } of views()) {
      metrics.carrierUp.set({ carrier: name }, state === 'up' ? 1 : 0);
      metrics.carrierInFlight.set({ carrier: name }, inFlight);
      metrics.carrierWindow.set({ carrier: name }, window);
      metrics.carrierRate.set({ carrier: name }, rate);
      if (foundRate === null) metrics.carrierFoundRate.remove({ carrier: name });
      else metrics.carrierFoundRate.set({ carrier: name }, foundRate);
      // A carrier that was changed by a reload counts from the beginning.
      const counted = throttledOf.get(name) ?? 0;
      metrics.carrierThrottled.inc({ carrier: name }, throttled < counted ? throttled : throttled - counted);
      throttledOf.set(name, throttled);
    }
    const now = clock.monotonic();
    const all = JSON.stringify(reports);
    if (all === published && now < publishAgainAt) return;
    await store.carriers.publish(node, reports, clock.now());
    published = all;
    publishAgainAt = now + PUBLISH_INTERVAL_MS;
  }

  return new Repeater(clock, INTERVAL_MS, publish, error => events.failed('tell carriers', error));
}
