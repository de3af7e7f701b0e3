/** Indexes messages for the operator's search, behind the traffic: never for more than a small share of a second. */
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { Store } from '../store/store.ts';
import type { Events } from './events.ts';
import { SpareTime } from './spare-time.ts';

const INTERVAL_MS = 1000;
/** A few milliseconds: everybody else waits for that long. */
const CHUNK = 250;
/** Of each second. */
const BUDGET = { ms: 150, busyMs: 25 };

export class SearchIndexer {
  readonly #store: Pick<Store, 'search'>;
  readonly #clock: Clock;
  readonly #repeater: Repeater;
  readonly #spareTime = new SpareTime(BUDGET);
  /** At the start nobody knows whether the clock was set back while nothing ran. */
  #mustRewind = true;

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
    const acceptedBefore = this.#clock.now() - search.lagMs;
    await this.#spareTime.use(async () =>
      (await search.index(acceptedBefore, CHUNK)) < CHUNK ? 'done' : 'more',
    );
  }
}
