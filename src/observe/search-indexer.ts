/** Indexes messages for the operator's search, behind the traffic: never for more than a small share of a second. */
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import { type Background, backgroundTask } from './background.ts';
import type { Events } from './events.ts';
import { SpareTime } from './spare-time.ts';

/** A few milliseconds: everybody else waits for that long. */
const CHUNK = 250;
/** Of each second. */
const BUDGET = { ms: 150, busyMs: 25 };

export class SearchIndexer {
  readonly #store: Pick<Store, 'search'>;
  readonly #clock: Clock;
  readonly #task: Background;
  readonly #spareTime = new SpareTime(BUDGET);
  /** At the start nobody knows whether the clock was set back while nothing ran. */
  #mustRewind = true;
  /** The latest time that the clock showed. */
  #latest = 0;

  constructor(deps: {
    readonly store: Pick<Store, 'search'>;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#task = backgroundTask(deps, 'index messages', () => this.#index());
  }

  /** The wall clock was set back: new messages have keys that the index has already passed. */
  clockSetBack(): void {
    this.#mustRewind = true;
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #index(): Promise<void> {
    const { search } = this.#store;
    const now = this.#clock.now();
    this.#latest = Math.max(this.#latest, now);
    if (this.#mustRewind) {
      await search.rewind(now - search.lagMs, this.#latest);
      this.#mustRewind = false;
    }
    const acceptedBefore = now - search.lagMs;
    await this.#spareTime.use(async () =>
      (await search.index(acceptedBefore, CHUNK)) < CHUNK ? 'done' : 'more',
    );
  }
}
