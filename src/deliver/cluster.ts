/**
 * This node in the cluster: its lease, the carriers of the other nodes, and the carriers that no node runs. Whatever one node
 * wants all others to know within a second or two is in what they publish about themselves.
 *
 * A node renews its lease every second and publishes the carriers that it runs. When the lease has ended, another node may
 * take over, so this one sends nothing more until it has renewed it (`isMember`). Steps of a carrier are moved or refused
 * only when no living node has run that carrier for a grace time: during a rolling change of the configuration, some
 * nodes know a carrier that others do not.
 */
import type { RepeatPromise } from '../domain/delivery/takeover.ts';
import type { Clock } from '../platform/clock.ts';
import type { LiveNode, NodeProfile, Store } from '../store/store.ts';

const LEASE_MS = 5_000;
/** The lease counts as over this long before others may think so. */
const MARGIN_MS = 1_000;
/** Knowledge of the other nodes is out of date after this long. */
const STALE_MS = 5_000;
/** Our choice: longer than a node takes to restart with another configuration. */
const UNSERVED_GRACE_MS = 60_000;

export class Cluster {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #node: string;
  readonly #profile: () => NodeProfile;
  readonly #unservedSince = new Map<string, number>();
  readonly #unroutedSince = new Map<string, number>();
  #leaseUntil = Number.NEGATIVE_INFINITY;
  #nodes: readonly LiveNode[] = [];
  #membership = 0;
  #seenAt = Number.NEGATIVE_INFINITY;
  #clockSkewMs: number | undefined;
  #beating: Promise<void> | undefined;

  constructor(deps: {
    readonly store: Store;
    readonly clock: Clock;
    readonly node: string;
    readonly profile: () => NodeProfile;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#node = deps.node;
    this.#profile = deps.profile;
  }

  /** Renews the lease, and reads which other nodes live. Concurrent callers share one call. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #beat(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const sentAt = this.#clock.now();
    const { storeTime } = await this.#store.nodes.heartbeat(this.#node, LEASE_MS, this.#profile());
    // In the middle between question and answer, as far as anybody knows.
    if (storeTime !== undefined) this.#clockSkewMs = Math.round((sentAt + this.#clock.now()) / 2 - storeTime);
    if (!this.isMember) this.#membership++;
    this.#leaseUntil = startedAt + LEASE_MS;
    this.#nodes = await this.#store.nodes.list();
    this.#seenAt = startedAt;
    // The grace time begins anew whenever somebody serves them, whether it is asked for then or not.
    const served = this.#profiles().flatMap(({ carriers }) => carriers);
    for (const { name } of served) this.#unservedSince.delete(name);
    const routed = this.#others().flatMap(({ channels }) => channels);
    for (const channel of routed) this.#unroutedSince.delete(channel);
  }

  async leave(): Promise<void> {
    this.#leaseUntil = Number.NEGATIVE_INFINITY;
    await this.#store.nodes.leave(this.#node);
  }

  /** The lease is valid: no other node takes over from this one. */
  get isMember(): boolean {
    return this.#clock.monotonic() < this.#leaseUntil - MARGIN_MS;
  }

  /**
   * Changes whenever this node has a lease again after it had lost it: another node may have taken over the steps that it
   * held before, though it is a member again.
   */
  get membership(): number {
    return this.#membership;
  }

  /** How far the wall clock of this node is ahead of the store's; undefined where the store has none of its own. */
  get clockSkewMs(): number | undefined {
    return this.#clockSkewMs;
  }

  /** An operator has told this node to send nothing more. */
  get isDraining(): boolean {
    return this.#nodes.some(({ node, drainingSince }) => node === this.#node && drainingSince !== undefined);
  }

  /** Living nodes, this one included. */
  get size(): number {
    return this.#others().length + 1;
  }

  /** Somebody watches live events on another node. */
  get isWatchedElsewhere(): boolean {
    return this.#others().some(({ isWatched }) => isWatched === true);
  }

  /** How many living nodes run a carrier, this one included. */
  nodesServing(carrier: string): number {
    return this.#profiles().filter(({ carriers }) => carriers.some(({ name }) => name === carrier)).length;
  }

  /** True when no living node has run the carrier for the grace time. */
  isUnserved(carrier: string): boolean {
    return this.#isMissing(carrier, this.#unservedSince, this.nodesServing(carrier) > 0);
  }

  /** True when no other living node has had a route for the channel for the grace time. */
  isUnroutedElsewhere(channel: string): boolean {
    const isRouted = this.#others().some(({ channels }) => channels.includes(channel));
    return this.#isMissing(channel, this.#unroutedSince, isRouted);
  }

  #isMissing(name: string, missingSince: Map<string, number>, isThere: boolean): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#seenAt > STALE_MS || isThere) {
      missingSince.delete(name);
      return false;
    }
    const since = missingSince.get(name) ?? now;
    missingSince.set(name, since);
    return now - since >= UNSERVED_GRACE_MS;
  }

  /** What the carriers of all living nodes promise about attempts that are made twice. */
  promises(): ReadonlyMap<string, RepeatPromise> {
    const known = this.#profiles().flatMap(({ carriers }) => carriers);
    return new Map(known.map(({ name, promise }) => [name, promise]));
  }

  #profiles(): NodeProfile[] {
    return [...this.#others(), this.#profile()];
  }

  #others(): NodeProfile[] {
    return this.#nodes.filter(({ node }) => node !== this.#node).map(({ profile }) => profile);
  }
}
