/** Indexes messages for the operator's search, behind the traffic: never for more than a small share of a second. */
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import type { Events } from './events.ts';

const INTERVAL_MS = 1000;
const CHUNK = 500;
/** At most this much of each second, less while the event loop has hardly a moment to spare. */
const BUDGET_MS = 150;
const BUSY_BUDGET_MS = 25;
const BUSY = 0.7;

export class SearchIndexer {
  readonly #store: Pick<Store, 'search'>;
  readonly #clock: Clock;
  readonly #repeater: Repeater;
  /** At the start nobody knows whether the clock was set back while nothing ran. */
  #mustRewind = true;
  #load = performance.eventLoopUtilization();

  constructor(deps: {
    readonly store: Pick<Store, 'search'>;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#repeater = new Repeater(
      deps.clock,
      INTERVAL_MS,
      () => this.#index(),
      error => deps.events.failed('index messages', error),
    );
  }

  /** The wall clock was set back: new messages have keys that the index has already passed. */
  clockSetBack(): void {
    this.#mustRewind = true;
  }

  start(): void {
    this.#repeater.start();
  }

  stop(): Promise<void> {
    return this.#repeater.stop();
  }

  async #index(): Promise<void> {
    const { search } = this.#store;
    if (this.#mustRewind) {
      await search.rewind(this.#clock.now() - search.lagMs);
      this.#mustRewind = false;
    }
    const budgetMs = this.#isBusy() ? BUSY_BUDGET_MS : BUDGET_MS;
    const startedAt = performance.now();
    const acceptedBefore = this.#clock.now() - search.lagMs;
    while (performance.now() - startedAt < budgetMs) {
      if ((await search.index(acceptedBefore, CHUNK)) < CHUNK) return;
    }
  }

  /** How much of the time since the last look the event loop was at work. */
  #isBusy(): boolean {
    const before = this.#load;
    this.#load = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(this.#load, before).utilization > BUSY;
  }
}
