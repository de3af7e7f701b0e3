/** Everything that happens by the clock: deadlines, parked receipts, dead nodes, the state of the queue, retention. */
import type { Events } from '../operations/events.ts';
import type { Files } from '../operations/files.ts';
import type { Settle } from '../operations/settle.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { QueueDepth, Store } from '../store/store.ts';
import { Repeater } from './repeater.ts';

const TICK_MS = 1000;
const NODE_TTL_MS = 5000;
const BATCH = 500;
const SWEEP_INTERVAL_MS = 60_000;
const IDEMPOTENCY_WINDOW_MS = 24 * 3_600_000;
/** Swept tokens are still told from unknown ones by their own date, so their rows need not stay long. */
const TOKEN_GRACE_MS = 3_600_000;
/** Our choice: a receipt whose answer has not come within a day will not find it. */
const PARKED_WINDOW_MS = 24 * 3_600_000;
/** The last attempt at a webhook falls on the end of its window; it is not swept while that may still run. */
const LAST_ATTEMPT_GRACE_MS = 600_000;
/** Our choice: a delivery that ended is shown to operators for a week, and no longer than its record is kept. */
const DELIVERY_WINDOW_MS = 7 * 24 * 3_600_000;

export class Housekeeper {
  readonly #repeaters: readonly Repeater[];
  readonly #heartbeat: () => Promise<void>;
  readonly #takeOver: () => Promise<void>;
  readonly #store: Store;
  readonly #node: string;
  #depth: QueueDepth = { ready: 0, claimed: 0, waiting: 0, oldestReadyAt: undefined };

  constructor(deps: {
    readonly store: Store;
    readonly settle: Settle;
    readonly files: Pick<Files, 'sweep'>;
    readonly clock: Clock;
    readonly events: Events;
    readonly metrics: Metrics;
    readonly node: string;
    /** Carriers that may be sent the same attempt again. */
    readonly repeatable: () => readonly string[];
    readonly reportRetentionMs: number;
    readonly inquiryWindowMs: number;
    readonly wake: () => void;
  }) {
    const { store, settle, clock, events, metrics, node } = deps;
    this.#store = store;
    this.#node = node;
    this.#heartbeat = () => store.nodes.heartbeat(node, NODE_TTL_MS);
    this.#takeOver = async () => {
      const steps = await store.nodes.takeOver({
        self: node,
        now: clock.now(),
        repeatable: deps.repeatable(),
      });
      if (steps === 0) return;
      events.takenOver(steps);
      deps.wake();
    };
    const expire = async () => {
      for (;;) {
        const overdue = await store.queue.overdue(clock.now(), BATCH);
        if (overdue.length === 0) return;
        await settle(overdue.map(key => ({ kind: 'step', ...key, event: { name: 'deadline' } })));
        if (overdue.length < BATCH) return;
      }
    };
    const matchParked = async () => {
      const receipts = await store.queue.matchedParked(BATCH);
      if (receipts.length > 0) await settle(receipts);
    };
    let measureAgainAt = 0;
    const measure = async () => {
      if (clock.monotonic() < measureAgainAt) return;
      const startedAt = clock.monotonic();
      this.#depth = await store.queue.depth();
      // Counting a long queue takes PostgreSQL a while: it may spend a twentieth of its time on that.
      measureAgainAt = clock.monotonic() + 20 * (clock.monotonic() - startedAt) - TICK_MS;
      const { ready, claimed, waiting, oldestReadyAt } = this.#depth;
      metrics.queueDepth.set({ phase: 'ready' }, ready);
      metrics.queueDepth.set({ phase: 'claimed' }, claimed);
      metrics.queueDepth.set({ phase: 'waiting' }, waiting);
      const ageMs = oldestReadyAt === undefined ? 0 : Math.max(0, clock.now() - oldestReadyAt);
      metrics.queueHeadAge.set(ageMs / 1000);
    };
    const sweep = async () => {
      const now = clock.now();
      const cutoffs = {
        now,
        unfetchedBefore: now - deps.reportRetentionMs,
        inquiryBefore: now - deps.inquiryWindowMs,
        idempotencyBefore: now - IDEMPOTENCY_WINDOW_MS,
        tokensBefore: now - TOKEN_GRACE_MS,
        parkedBefore: now - PARKED_WINDOW_MS,
        giveUpBefore: now - LAST_ATTEMPT_GRACE_MS,
        deliveriesBefore: now - Math.min(DELIVERY_WINDOW_MS, deps.inquiryWindowMs),
      };
      while (await store.upkeep.sweep(cutoffs));
    };
    const every = (intervalMs: number, name: string, task: () => Promise<void>) =>
      new Repeater(clock, intervalMs, task, error => events.failed(name, error));
    this.#repeaters = [
      every(TICK_MS, 'heartbeat', this.#heartbeat),
      every(TICK_MS, 'take over', this.#takeOver),
      every(TICK_MS, 'deadlines', expire),
      every(TICK_MS, 'parked receipts', matchParked),
      every(TICK_MS, 'measure queue', measure),
      every(SWEEP_INTERVAL_MS, 'sweep', sweep),
      every(SWEEP_INTERVAL_MS, 'sweep files', () => deps.files.sweep()),
    ];
  }

  /** The queue as it was a moment ago. */
  get depth(): QueueDepth {
    return this.#depth;
  }

  async start(): Promise<void> {
    await this.#heartbeat();
    await this.#takeOver();
    for (const repeater of this.#repeaters) repeater.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#repeaters.map(repeater => repeater.stop()));
    await this.#store.nodes.leave(this.#node);
  }
}
