/**
 * The share of each carrier's rate that this node may use: leased from the store every second, for all nodes together.
 *
 * A share is used for less long than the store counts it as this node's, so a node that hangs, or cannot reach the store, has
 * stopped sending before another is given its part. A new lane sends nothing until it has one.
 */
import type { Clock } from '../platform/clock.ts';
import type { RateWish, Store } from '../store/store.ts';
import type { CarrierGate } from './carrier-gate.ts';
import type { Cluster } from './cluster.ts';
import type { Pace } from './pace.ts';

/** How long a share is used, and how long the store keeps it for this node. */
const USED_MS = 3_000;
const KEPT_MS = 5_000;

interface PacedLane {
  readonly carrier: { readonly name: string; readonly capabilities: { readonly rate: number } };
  readonly pace: Pace;
  readonly gate: CarrierGate;
  /** See Lane. */
  readonly rests: number;
  wake(): void;
}

export class PaceShares {
  readonly #store: Pick<Store, 'cluster'>;
  readonly #clock: Clock;
  readonly #node: string;
  readonly #cluster: Pick<Cluster, 'isDraining'>;
  readonly #lanes: () => readonly PacedLane[];
  #renewing: Promise<void> | undefined;
  #hasAny = false;

  constructor(deps: {
    readonly store: Pick<Store, 'cluster'>;
    readonly clock: Clock;
    readonly node: string;
    readonly cluster: Pick<Cluster, 'isDraining'>;
    readonly lanes: () => readonly PacedLane[];
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#node = deps.node;
    this.#cluster = deps.cluster;
    this.#lanes = deps.lanes;
  }

  /** To be called once for a new lane. */
  watch({ pace, carrier }: PacedLane): void {
    if (carrier.capabilities.rate === 0) return;
    // A failure is reported by whoever renews every second.
    pace.shareBy(() => void this.renew().catch(() => {}));
  }

  /** Concurrent callers share one call. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const lanes = this.#lanes().filter(({ carrier }) => carrier.capabilities.rate > 0);
    if (lanes.length === 0 && !this.#hasAny) return;
    const wishes = lanes.map(({ carrier, pace, gate, rests }): RateWish => {
      const isSending = (!this.#cluster.isDraining && gate.isAvailable(startedAt)) || rests > 0;
      const wanted = pace.wish(startedAt);
      return { carrier: carrier.name, rate: carrier.capabilities.rate, wanted: isSending ? wanted : 0 };
    });
    const shares = await this.#store.cluster.shareRates(this.#node, KEPT_MS, wishes);
    this.#hasAny = lanes.length > 0;
    for (const lane of lanes) {
      lane.pace.limitTo(shares.get(lane.carrier.name) ?? 0, startedAt + USED_MS);
      lane.wake();
    }
  }
}
