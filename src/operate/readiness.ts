/**
 * Whether this node can take requests, and which carriers hold messages up.
 *
 * A node is ready when its store takes writes, answers in time and keeps what it acknowledged (where that is required), when
 * its clock agrees with the database's, and when at least one lane with work moves. The
 * state of a single carrier (down, paused, or not answering with a full window) does not make the node unready: if a
 * load balancer took the node out because of it, the other carriers would stop too, and every other node has the same
 * carrier.
 *
 * Durations are measured by the monotonic clock; the wall clock is only for times that are shown.
 */

import { type CarrierHealth, carrierHealth, type LaneHealth } from '../deliver/carrier-health.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { HealthView } from '../operations/health.ts';
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { QueueDepth } from '../store/store.ts';
import type { DiskState, DiskWatch } from './disk-watch.ts';
import type { DurabilityWatch } from './durability-watch.ts';
import { shownDepth } from './queue.ts';
import { createStoreWatch, type StoreHealth } from './store-watch.ts';

export interface Readiness {
  /** Why this node is not ready, undefined when it is. */
  reason(): Promise<string | undefined>;
  health(): Promise<HealthView>;
  /** Updates the metrics; to be called every second. */
  refresh(): Promise<void>;
}

/** An idle store is written to this often, even if nobody asks, to notice a full disk. */
const IDLE_WRITE_MS = 10_000;

export function createReadiness(deps: {
  readonly store: { ping(): Promise<void>; probeWrite(): Promise<void> };
  readonly durability: DurabilityWatch;
  readonly disk: DiskWatch;
  readonly clock: ClusterClock;
  readonly events: Pick<Events, 'clockLooked' | 'storeFailed' | 'storeWorks'>;
  readonly metrics: Pick<
    Metrics,
    'clockAhead' | 'clockTrusted' | 'storeUp' | 'carrierHeadAge' | 'carrierWindowFull' | 'carrierStuck'
  >;
  readonly formatTime: FormatTime;
  readonly about: Pick<HealthView, 'node' | 'version'>;
  readonly lanes: () => readonly LaneHealth[];
  readonly inFlight: () => number;
  /** An operator has told this node to send nothing more. */
  readonly isDraining: () => boolean;
  /** Why the wall clock of this machine forbids it to take requests. */
  readonly wrongClock: () => string | undefined;
  /** As last measured. */
  readonly queue: () => QueueDepth;
  /** When the store last committed something, by the monotonic clock. */
  readonly lastCommitAt: () => number;
}): Readiness {
  const { store, durability, disk, clock, events, metrics, formatTime, lanes, queue, lastCommitAt } = deps;
  const watch = createStoreWatch({ store, clock, lastCommitAt });

  return {
    async reason() {
      const health = await watch.look();
      durability.look();
      return whyNot(health, carriers());
    },
    async health() {
      const store = await watch.look();
      const risks = durability.look();
      const each = carriers();
      const reason = whyNot(store, each) ?? null;
      return {
        ...deps.about,
        ready: reason === null,
        reason,
        store: { ...store, since: formatTime(store.since), risks },
        clock: {
          isTrusted: clock.doubt === undefined,
          detail: clock.doubt ?? '',
          aheadMs: clock.skewMs ?? null,
        },
        disk: diskHealth(disk.look()),
        queue: shownDepth(queue()),
        inFlight: deps.inFlight(),
        carriers: each,
      };
    },
    async refresh() {
      const { state, detail } = await watch.look(IDLE_WRITE_MS);
      if (state === 'ok') events.storeWorks();
      else events.storeFailed('health', detail);
      durability.look();
      disk.look();
      const { doubt, skewMs = 0 } = clock;
      events.clockLooked(doubt);
      metrics.clockTrusted.set(doubt === undefined ? 1 : 0);
      metrics.clockAhead.set(skewMs / 1000);
      metrics.storeUp.set(state === 'ok' ? 1 : 0);
      for (const gauge of [metrics.carrierHeadAge, metrics.carrierWindowFull, metrics.carrierStuck]) {
        gauge.reset();
      }
      for (const { name, state: carrierState, headAgeSeconds, windowFullSeconds } of carriers()) {
        metrics.carrierHeadAge.set({ carrier: name }, headAgeSeconds);
        metrics.carrierWindowFull.set({ carrier: name }, windowFullSeconds);
        metrics.carrierStuck.set({ carrier: name }, carrierState === 'stuck' ? 1 : 0);
      }
    },
  };

  function whyNot(health: StoreHealth, each: readonly CarrierHealth[]): string | undefined {
    if (deps.isDraining()) return 'an operator is draining this node';
    return reasonOf(health, each, durability.isRefused()) ?? deps.wrongClock();
  }

  function carriers(): CarrierHealth[] {
    const due = queue().heads;
    const now = { wall: clock.now(), monotonic: clock.monotonic() };
    return lanes().map(lane => carrierHealth(lane, due.get(lane.name), now));
  }
}

function diskHealth(found: DiskState | undefined): HealthView['disk'] {
  if (!found) return null;
  const advice =
    'Free space or enlarge the disk: reservations and uploads are refused until then, and sends go on until it is full.';
  return { ...found, advice: found.state === 'low' ? advice : '' };
}

function reasonOf(
  store: StoreHealth,
  carriers: readonly CarrierHealth[],
  isNotDurable: boolean,
): string | undefined {
  if (store.state !== 'ok') return STORE_REASON[store.state];
  if (isNotDurable) return 'the database may lose accepted messages';
  const working = carriers.filter(({ headAgeSeconds, state }) => headAgeSeconds > 0 || state === 'stuck');
  const isStuck = working.length > 0 && working.every(({ state }) => state === 'stuck');
  return isStuck ? 'the queue does not move' : undefined;
}

const STORE_REASON = {
  away: 'the store does not answer',
  full: 'the disk of the store is full',
} as const;
