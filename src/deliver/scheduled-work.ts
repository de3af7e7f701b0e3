/** Everything that happens by the clock: deadlines, parked receipts, dead nodes, the state of the queue, retention. */

import type { Files } from '../accept/files.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { QueueDepth, Store } from '../store/store.ts';
import type { Claims } from './claims.ts';
import { ClockWatch } from './clock-watch.ts';
import type { Cluster } from './cluster.ts';
import { OrphanReceipts } from './orphan-receipts.ts';
import type { Settle } from './settle.ts';

const TICK_MS = 1000;
/** How soon a step that was put off is sent when its time has come. */
const RELEASE_INTERVAL_MS = 200;
const ORPHAN_INTERVAL_MS = 10_000;
const BATCH = 500;
const SWEEP_INTERVAL_MS = 60_000;
const IDEMPOTENCY_WINDOW_MS = 24 * 3_600_000;
/** Swept tokens are still told from unknown ones by their own date, so their rows need not stay long. */
const TOKEN_GRACE_MS = 3_600_000;
/** A parked receipt outlives the deadline of every step that it may be about. */
const PARKED_GRACE_MS = 24 * 3_600_000;
/** Our choice: receipts that match nothing, of one carrier; the oldest beyond them are deleted. */
const MOST_PARKED = 100_000;
/** RCS messages may wait for a day, whatever the settings. */
const LONGEST_RCS_MS = 24 * 3_600_000;
/** Clocks of several nodes differ by less. */
const SKEW_MS = 60_000;
/** After the clock was set, what was put off is looked at with suspicion for this long; and after the start. */
const SUSPECT_MS = 120_000;
/** The last attempt at a webhook falls on the end of its window; it is not swept while that may still run. */
const LAST_ATTEMPT_GRACE_MS = 600_000;
/** Our choice: a delivery that ended is shown to operators for a week, and no longer than its record is kept. */
const DELIVERY_WINDOW_MS = 7 * 24 * 3_600_000;

const NOTHING_WAITS: QueueDepth = {
  ready: 0,
  claimed: 0,
  awaitingReceipt: 0,
  putOff: 0,
  oldestReadyAt: undefined,
  heads: new Map(),
};

export class Housekeeper {
  readonly #repeaters: readonly Repeater[];
  readonly #cluster: Cluster;
  readonly #takeOver: () => Promise<void>;
  readonly #leave: () => Promise<void>;
  #depth: QueueDepth = NOTHING_WAITS;

  constructor(deps: {
    readonly store: Store;
    readonly settle: Settle;
    readonly files: Pick<Files, 'sweep'>;
    readonly clock: Clock;
    readonly events: Events;
    readonly metrics: Metrics;
    readonly node: string;
    readonly cluster: Cluster;
    readonly claims: Claims;
    readonly deadlines: DeadlineSettings;
    readonly reportRetentionMs: number;
    readonly inquiryWindowMs: number;
    readonly wake: () => void;
    /** The wall clock was set back: what is in the order of its time may not be. */
    readonly clockSetBack: () => void;
  }) {
    const { store, settle, clock, events, metrics, node, cluster, claims, deadlines } = deps;
    this.#cluster = cluster;
    this.#takeOver = async () => {
      const steps = await store.nodes.takeOver({
        self: node,
        now: clock.now(),
        promises: cluster.promises(),
      });
      if (steps === 0) return;
      events.takenOver(steps);
      deps.wake();
    };
    const watch = new ClockWatch(clock);
    let suspectUntil = clock.monotonic() + SUSPECT_MS;
    const release = async () => {
      const change = watch.look();
      if (change !== 0) {
        events.clockSet(change);
        suspectUntil = clock.monotonic() + SUSPECT_MS;
        if (change < 0) deps.clockSetBack();
      }
      const now = clock.now();
      const isSuspect = clock.monotonic() < suspectUntil;
      let released = 0;
      for (const putOffAfter of isSuspect ? [undefined, now + SKEW_MS] : [undefined]) {
        for (;;) {
          const chunk = await store.queue.release({ now, putOffAfter, limit: BATCH });
          released += chunk;
          if (chunk < BATCH) break;
        }
      }
      if (released > 0) deps.wake();
    };
    // Claimed in the store and not in this node's hands: they were never handed to a carrier.
    const reconcile = async () => {
      const strays = await claims.strays();
      if (strays.length === 0) return;
      events.strayClaims(strays.length);
      await settle(
        strays.map(({ claim, ...key }) => ({
          kind: 'step',
          ...key,
          event: { name: 'returned', retryAfterMs: 0 },
          ...(claim !== undefined && { claim }),
        })),
      );
    };
    this.#leave = async () => {
      try {
        await reconcile();
        await cluster.leave();
      } catch (error) {
        // The others notice by the lease.
        events.failed('leave', error);
      }
    };
    const orphans = new OrphanReceipts({ store, settle, clock });
    const expire = async () => {
      for (;;) {
        const overdue = await store.queue.overdue(clock.now(), BATCH);
        if (overdue.length === 0) return;
        await settle(overdue.map(key => ({ kind: 'step', ...key, event: { name: 'deadline' } })));
        if (overdue.length < BATCH) return;
      }
    };
    const matchParked = async () => {
      const receipts = await store.queue.matchedParked(clock.now(), BATCH);
      if (receipts.length > 0) await settle(receipts);
    };
    let measureAgainAt = 0;
    const measure = async () => {
      if (clock.monotonic() < measureAgainAt) return;
      const startedAt = clock.monotonic();
      this.#depth = await store.queue.depth();
      // Counting a long queue takes PostgreSQL a while: it may spend a twentieth of its time on that.
      measureAgainAt = clock.monotonic() + 20 * (clock.monotonic() - startedAt) - TICK_MS;
      const { ready, claimed, awaitingReceipt, putOff, oldestReadyAt } = this.#depth;
      metrics.queueDepth.set({ phase: 'ready' }, ready);
      metrics.queueDepth.set({ phase: 'claimed' }, claimed);
      metrics.queueDepth.set({ phase: 'waiting' }, awaitingReceipt);
      metrics.queueDepth.set({ phase: 'putOff' }, putOff);
      const ageMs = oldestReadyAt === undefined ? 0 : Math.max(0, clock.now() - oldestReadyAt);
      metrics.queueHeadAge.set(ageMs / 1000);
    };
    const longestDeadlineMs = Math.max(LONGEST_RCS_MS, ...Object.values(deadlines));
    const sweep = async () => {
      const now = clock.now();
      const cutoffs = {
        now,
        unfetchedBefore: now - deps.reportRetentionMs,
        inquiryBefore: now - deps.inquiryWindowMs,
        idempotencyBefore: now - IDEMPOTENCY_WINDOW_MS,
        tokensBefore: now - TOKEN_GRACE_MS,
        parkedBefore: now - longestDeadlineMs - PARKED_GRACE_MS,
        mostParked: MOST_PARKED,
        giveUpBefore: now - LAST_ATTEMPT_GRACE_MS,
        deliveriesBefore: now - Math.min(DELIVERY_WINDOW_MS, deps.inquiryWindowMs),
      };
      while (await store.upkeep.sweep(cutoffs));
    };
    const every = (intervalMs: number, name: string, task: () => Promise<void>) =>
      new Repeater(clock, intervalMs, task, error => events.failed(name, error));
    this.#repeaters = [
      every(TICK_MS, 'heartbeat', () => cluster.beat()),
      every(TICK_MS, 'stray claims', reconcile),
      every(RELEASE_INTERVAL_MS, 'release', release),
      every(ORPHAN_INTERVAL_MS, 'orphan receipts', () => orphans.match()),
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
    await this.#cluster.beat();
    await this.#takeOver();
    for (const repeater of this.#repeaters) repeater.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#repeaters.map(repeater => repeater.stop()));
    await this.#leave();
  }
}
