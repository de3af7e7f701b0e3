/** Publishes the state of this node's carriers: in the metrics every second, in the store when it has changed. */

import { backgroundTask } from '../observe/background.ts';
import type { CarrierCounts, CarrierSumsWriter } from '../observe/carrier-sums.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import type { LaneState } from './carrier-health.ts';

/** A node publishes the state of its carriers at least this often; one that has not for three times as long does not run. */
export const PUBLISH_INTERVAL_MS = 10_000;

/** The state of one carrier as a node publishes it. */
export interface CarrierView {
  readonly name: string;
  readonly kind: string;
  readonly state: LaneState;
  readonly detail: string;
  readonly since: number;
  readonly isPaused: boolean;
  readonly channels: readonly string[];
  readonly window: number;
  readonly inFlight: number;
  readonly rate: number;
  /** Parts a second that it was found to take; null where it takes all that settings allow. */
  readonly foundRate: number | null;
  /** Submits since the node started that it refused because it takes less. */
  readonly throttled: number;
  /** A setting that seems wrong, with the one that would work; or how other nodes' settings differ. */
  readonly hint: string | null;
  /** Until when it rests after several faults in a row; null where that is not so. */
  readonly breakerOpenUntil: number | null;
  /** Answers to submits since the node started, by kind. */
  readonly sent: Readonly<Record<string, number>>;
}

/** Of one that is full the alert tells by the time that its window has been full. */
const UP: ReadonlySet<string> = new Set(['up', 'full', 'waiting']);

export interface CarrierPublisher {
  /** Resolves when the state is published: a command beside the server then sees that its node lives. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createCarrierPublisher(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly carrierSums: Pick<CarrierSumsWriter, 'add'>;
  readonly node: string;
  readonly views: () => readonly CarrierView[];
}): CarrierPublisher {
  const { store, clock, metrics, carrierSums, node, views } = deps;
  const { carrierUp, carrierInFlight, carrierWindow, carrierRate, carrierFoundRate } = metrics;
  const gauges = [carrierUp, carrierInFlight, carrierWindow, carrierRate, carrierFoundRate];
  const counted = new Map<string, CarrierCounts>();
  let published = '';
  let publishAgainAt = 0;

  async function publish(): Promise<void> {
    const shown = views();
    const reports = shown.map(view => ({ carrier: view.name, report: JSON.stringify(view) }));
    // What a reload has removed would be shown for ever, and alerts with it.
    for (const gauge of gauges) gauge.reset();
    for (const { name, state, inFlight, window, rate, foundRate, throttled, sent } of shown) {
      carrierUp.set({ carrier: name }, UP.has(state) ? 1 : 0);
      carrierInFlight.set({ carrier: name }, inFlight);
      carrierWindow.set({ carrier: name }, window);
      carrierRate.set({ carrier: name }, rate);
      if (foundRate !== null) carrierFoundRate.set({ carrier: name }, foundRate);
      const counts = countsOf(sent, throttled);
      const more = sinceThen(counts, counted.get(name));
      counted.set(name, counts);
      metrics.carrierThrottled.inc({ carrier: name }, more.throttled);
      carrierSums.add(name, more);
    }
    const now = clock.monotonic();
    const all = JSON.stringify(reports);
    if (all === published && now < publishAgainAt) return;
    await store.carriers.publish(node, reports, clock.now());
    published = all;
    publishAgainAt = now + PUBLISH_INTERVAL_MS;
  }

  const task = backgroundTask(deps, 'tell carriers', publish);
  return {
    async start() {
      await publish().catch(error => deps.events.failed('tell carriers', error));
      task.start();
    },
    async stop() {
      await task.stop();
      await store.carriers.publish(node, [], clock.now());
    },
  };
}

/** A throttled submit is sent later: it was not refused. */
function countsOf(
  { accepted = 0, permanent = 0, temporary = 0, unknown = 0 }: CarrierView['sent'],
  throttled: number,
): CarrierCounts {
  return {
    submitted: accepted + unknown,
    refused: permanent + Math.max(0, temporary - throttled),
    throttled,
  };
}

/** A carrier that was changed by a reload counts from the beginning. */
function sinceThen(counts: CarrierCounts, before: CarrierCounts | undefined): CarrierCounts {
  const more = (name: keyof CarrierCounts) => {
    const counted = before?.[name] ?? 0;
    return counts[name] < counted ? counts[name] : counts[name] - counted;
  };
  return { submitted: more('submitted'), refused: more('refused'), throttled: more('throttled') };
}
