/**
 * What the operator's side has done behind the traffic: indexing messages, writing statistics down, forgetting.
 * It takes turns with the traffic, and never more than a small share of a second.
 */

import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import type { Events } from './events.ts';
import type { Statistics } from './statistics.ts';

const INDEX_INTERVAL_MS = 1000;
const INDEX_CHUNK = 500;
/** At most this much of each second, less while the event loop has hardly a moment to spare. */
const INDEX_BUDGET_MS = 150;
const BUSY_INDEX_BUDGET_MS = 25;
const BUSY = 0.7;
const FLUSH_INTERVAL_MS = 4000;
const SWEEP_INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;
const STATISTICS_MS = 30 * DAY_MS;
const AUDIT_MS = 365 * DAY_MS;

export class Clerk {
  readonly #repeaters: readonly Repeater[];
  readonly #statistics: Statistics;
  readonly #events: Pick<Events, 'failed'>;
  #mustRewind = true;

  constructor(deps: {
    readonly store: Pick<Store, 'search' | 'sessions' | 'audit' | 'statistics'>;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
    readonly statistics: Statistics;
  }) {
    const { store, clock, events, statistics } = deps;
    this.#statistics = statistics;
    this.#events = events;
    let load = performance.eventLoopUtilization();
    // At the start nobody knows whether the clock was set back while nothing ran.
    const index = async () => {
      if (this.#mustRewind) {
        await store.search.rewind(clock.now() - store.search.lagMs);
        this.#mustRewind = false;
      }
      const before = load;
      load = performance.eventLoopUtilization();
      const isBusy = performance.eventLoopUtilization(load, before).utilization > BUSY;
      const budgetMs = isBusy ? BUSY_INDEX_BUDGET_MS : INDEX_BUDGET_MS;
      const startedAt = performance.now();
      const acceptedBefore = clock.now() - store.search.lagMs;
      while (performance.now() - startedAt < budgetMs) {
        if ((await store.search.index(acceptedBefore, INDEX_CHUNK)) < INDEX_CHUNK) return;
      }
    };
    const sweep = async () => {
      const now = clock.now();
      await store.sessions.sweep(now);
      await store.statistics.sweep(now - STATISTICS_MS);
      await store.audit.sweep(now - AUDIT_MS);
    };
    const every = (intervalMs: number, name: string, task: () => Promise<void>) =>
      new Repeater(clock, intervalMs, task, error => events.failed(name, error));
    this.#repeaters = [
      every(INDEX_INTERVAL_MS, 'index messages', index),
      every(FLUSH_INTERVAL_MS, 'write statistics', () => statistics.flush()),
      every(SWEEP_INTERVAL_MS, 'sweep operator', sweep),
    ];
  }

  /** The wall clock was set back: messages have keys again that the index has passed already. */
  clockSetBack(): void {
    this.#mustRewind = true;
  }

  start(): void {
    for (const repeater of this.#repeaters) repeater.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#repeaters.map(repeater => repeater.stop()));
    await this.#statistics.flush().catch(error => this.#events.failed('write statistics', error));
  }
}
