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
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { LiveNode, NodeProfile, Store } from '../store/store.ts';
import { namedNodes } from './node-names.ts';

const LEASE_MS = 5_000;
/** The lease counts as over this long before others may think so. */
const MARGIN_MS = 1_000;
/** Knowledge of the other nodes is out of date after this long. */
const STALE_MS = 5_000;
/** Our choice: longer than a node takes to restart with another configuration. */
const UNSERVED_GRACE_MS = 60_000;

export class Cluster {
  readonly #store: Store;
  readonly #clock: ClusterClock;
  readonly #node: string;
  readonly #profile: () => NodeProfile;
  readonly #unservedSince = new Map<string, number>();
  readonly #unroutedSince = new Map<string, number>();
  #leaseUntil = Number.NEGATIVE_INFINITY;
  #nodes: readonly LiveNode[] = [];
  #membership = 0;
  #seenAt = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> | undefined;
  #furthestAhead: number;
  readonly #nodeChanged: (name: string, state: 'nodeGone' | 'nodeBack') => void;
  /** The names of all nodes that were heard of, by their ids. */
  readonly #names = new Map<string, string>();
  /** The names of those that died; undefined until they were read. */
  #gone: ReadonlySet<string> | undefined;

  constructor(deps: {
    readonly store: Store;
    readonly clock: ClusterClock;
    readonly node: string;
    readonly profile: () => NodeProfile;
    /** A node died, or one that had died is there again. */
    readonly nodeChanged: (name: string, state: 'nodeGone' | 'nodeBack') => void;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#node = deps.node;
    this.#profile = deps.profile;
    this.#nodeChanged = deps.nodeChanged;
    this.#furthestAhead = deps.clock.now() - deps.clock.monotonic();
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
    // `bongsu data-key` may have changed how values are encrypted. The profile tells what this node knows.
    await this.#store.dataKeys.refresh();
    await this.#store.nodes.heartbeat(this.#node, LEASE_MS, this.#profile());
    const hasJoined = !this.isMember;
    if (hasJoined) this.#membership++;
    this.#leaseUntil = startedAt + LEASE_MS;
    if (hasJoined) await this.#forgetFormer();
    await this.#clock.synchronize(() => this.#store.nodes.time());
    const before = this.#nodes;
    this.#nodes = await this.#store.nodes.list();
    this.#seenAt = startedAt;
    const isSame =
      before.length === this.#nodes.length && before.every(({ node }, i) => node === this.#nodes[i]?.node);
    if (!isSame) await this.#noteNodes();
    // The grace time begins anew whenever somebody serves them, whether it is asked for then or not.
    const served = this.#profiles().flatMap(({ carriers }) => carriers);
    for (const { name } of served) this.#unservedSince.delete(name);
    const routed = this.#others().flatMap(({ channels }) => channels);
    for (const channel of routed) this.#unroutedSince.delete(channel);
  }

  /** This node as it was before it was started again. */
  async #forgetFormer(): Promise<void> {
    const { name } = this.#profile();
    if (name === undefined) return;
    const known = await this.#store.nodes.known();
    const former = known.filter(({ profile, deadForMs }) => profile.name === name && deadForMs !== undefined);
    for (const { node } of former) {
      this.#names.set(node, name);
      await this.#store.nodes.forget(node);
    }
  }

  /** Names those that have died or come back since. What was so when this node started is no news. */
  async #noteNodes(): Promise<void> {
    const known = await this.#store.nodes.known();
    for (const { node, profile } of known) this.#names.set(node, profile.name ?? node);
    const named = namedNodes(known);
    const gone = new Set(named.flatMap(({ name, deadForMs }) => (deadForMs === undefined ? [] : [name])));
    const before = this.#gone ?? gone;
    this.#gone = gone;
    for (const name of gone) if (!before.has(name)) this.#nodeChanged(name, 'nodeGone');
    for (const { name, deadForMs } of named) {
      if (deadForMs === undefined && before.has(name)) this.#nodeChanged(name, 'nodeBack');
    }
  }

  /** The name of a node that lives or lived; its id where nobody has told this node its name. */
  nameOf(node: string): string {
    return this.#names.get(node) ?? node;
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

  /**
   * Why this node must not take requests: its wall clock is wrong. Where no other living node agrees with the database, the
   * database is the one that is wrong, and all of them go on.
   */
  get wrongClock(): string | undefined {
    const others = this.#others();
    const isOnlyHere = others.length === 0 || others.some(({ isClockOff }) => isClockOff !== true);
    return isOnlyHere ? this.#clock.offReason : undefined;
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

  /** Another living node sends by the carrier. */
  isUpElsewhere(carrier: string): boolean {
    return this.#others().some(({ carriers }) => carriers.some(({ name, isUp }) => name === carrier && isUp));
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

  /**
   * What the carriers of all living nodes promise about attempts that are made twice. An attempt from before the wall clock was
   * set back is older than it looks, so every promise is shorter by that much from then on.
   */
  promises(): ReadonlyMap<string, RepeatPromise> {
    const setBackMs = this.#setBackMs();
    const known = this.#profiles().flatMap(({ carriers }) => carriers);
    return new Map(
      known.map(({ name, promise }) => [name, { ...promise, forMs: Math.max(0, promise.forMs - setBackMs) }]),
    );
  }

  /** How far the wall clock is behind the furthest that it was ahead of the monotonic one. */
  #setBackMs(): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    this.#furthestAhead = Math.max(this.#furthestAhead, ahead);
    return Math.ceil(this.#furthestAhead - ahead);
  }

  #profiles(): NodeProfile[] {
    return [...this.#others(), this.#profile()];
  }

  #others(): NodeProfile[] {
    return this.#nodes.filter(({ node }) => node !== this.#node).map(({ profile }) => profile);
  }
}
