/** Counts messages into the sums of the traffic, behind it: never for more than a small share of a second. */
import type { Clock } from '../platform/clock.ts';
import type { Calendar } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { type Background, backgroundTask } from './background.ts';
import type { Events } from './events.ts';
import { SpareTime } from './spare-time.ts';

/** A few milliseconds: everybody else waits for that long. */
const CHUNK = 100;
/** Of each second. */
const BUDGET = { ms: 100, busyMs: 15 };
/** Most messages are over by then, so that few are looked at twice; and clocks of nodes differ by less. */
const LAG_MS = 15_000;

export class RollupCounter {
  readonly #store: Pick<Store, 'rollups'>;
  readonly #clock: Clock;
  readonly #calendar: Calendar;
  readonly #task: Background;
  readonly #spareTime = new SpareTime(BUDGET);
  /** At the start nobody knows whether the clock was set back while nothing ran. */
  #mustRecount = true;
  #caughtUpAt: number | undefined;

  constructor(deps: {
    readonly store: Pick<Store, 'rollups'>;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
    readonly calendar: Calendar;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#calendar = deps.calendar;
    this.#task = backgroundTask(deps, 'count messages', () => this.#count());
  }

  /** The wall clock was set back: new messages have keys that are counted already. */
  clockSetBack(): void {
    this.#mustRecount = true;
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** What was accepted before is in the sums; undefined if nothing is yet. */
  async countedUntil(): Promise<number | undefined> {
    const reached = await this.#store.rollups.countedUntil();
    if (this.#caughtUpAt === undefined) return reached;
    return Math.max(reached ?? 0, this.#caughtUpAt);
  }

  async #count(): Promise<void> {
    const { rollups } = this.#store;
    if (this.#mustRecount) {
      await rollups.recount(this.#clock.now(), this.#calendar);
      this.#mustRecount = false;
      this.#caughtUpAt = undefined;
    }
    const now = this.#clock.now();
    const order = { now, acceptedBefore: now - LAG_MS, limit: CHUNK, calendar: this.#calendar };
    const isDone = await this.#spareTime.use(async () => ((await rollups.count(order)) ? 'more' : 'done'));
    if (isDone) this.#caughtUpAt = order.acceptedBefore;
  }
}
