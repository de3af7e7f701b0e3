/** Measures the queue every second: for the metrics, for readiness, and for refusing sends while it is too long. */
import { BACKGROUND_TASKS } from '../domain/background-tasks.ts';
import { type Background, backgroundTask } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import type { QueueDepth, Store } from '../store/store.ts';

const INTERVAL_MS = BACKGROUND_TASKS['measure queue'].everyMs;
/** Counting a long queue takes PostgreSQL a while: it may spend a twentieth of its time on that. */
const REST_FACTOR = 20;

const EMPTY: QueueDepth = {
  ready: 0,
  claimed: 0,
  awaitingReceipt: 0,
  putOff: 0,
  oldestReadyAt: undefined,
  heads: new Map(),
};

export class QueueMeter {
  readonly #store: Pick<Store, 'queue'>;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #task: Background;
  #depth: QueueDepth = EMPTY;
  #measureAgainAt = 0;

  constructor(deps: {
    readonly store: Pick<Store, 'queue'>;
    readonly clock: Clock;
    readonly metrics: Metrics;
    readonly events: Pick<Events, 'failed'>;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#metrics = deps.metrics;
    this.#task = backgroundTask(deps, 'measure queue', () => this.#measure());
  }

  /** The queue as it was a moment ago. */
  get depth(): QueueDepth {
    return this.#depth;
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #measure(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    if (startedAt < this.#measureAgainAt) return;
    this.#depth = await this.#store.queue.depth();
    const endedAt = this.#clock.monotonic();
    this.#measureAgainAt = endedAt + REST_FACTOR * (endedAt - startedAt) - INTERVAL_MS;
    this.#publish();
  }

  #publish(): void {
    const { ready, claimed, awaitingReceipt, putOff, oldestReadyAt } = this.#depth;
    const { queueDepth, queueHeadAge } = this.#metrics;
    queueDepth.set({ phase: 'ready' }, ready);
    queueDepth.set({ phase: 'claimed' }, claimed);
    queueDepth.set({ phase: 'waiting' }, awaitingReceipt);
    queueDepth.set({ phase: 'putOff' }, putOff);
    const ageMs = oldestReadyAt === undefined ? 0 : Math.max(0, this.#clock.now() - oldestReadyAt);
    queueHeadAge.set(ageMs / 1000);
  }
}
