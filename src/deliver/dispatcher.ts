/**
 * The dispatcher: a lane for each carrier, receipts on their way to settle, and steps whose carrier is gone or down on
 * their way to another. Carriers come and go while it runs.
 */
import type { Carrier, CarrierReceipt, CarrierTest } from '../carriers/carrier.ts';
import { familyOf } from '../domain/channels/channel-table.ts';
import { alternativesOf, type ChooseRoute, type Network, UNROUTED } from '../domain/delivery/routing.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import { parseAttemptId } from '../domain/ids.ts';
import { DELIVERED, NO_ROUTE_CODE } from '../domain/reports/report-codes.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { QueueEvent, Store } from '../store/store.ts';
import type { LaneHealth } from './carrier-health.ts';
import type { CarrierView } from './carriers.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { Lane } from './lane.ts';
import type { Settle } from './settle.ts';

const INTERVAL_MS = 1000;
/** Steps moved to another carrier at a time. */
const MOVE_LIMIT = 500;
const MOVE_ACCOUNTS = 100;
/** When a step is looked at again that waits for a carrier which is down, and has no other. */
const WAIT_MS = 5_000;

interface DispatcherParts {
  readonly store: Store;
  readonly settle: Settle;
  readonly clock: Clock;
  readonly events: Events;
  readonly route: ChooseRoute;
  readonly network: () => Network;
  readonly claims: Claims;
  readonly cluster: Cluster;
  /** How long answers under way are waited for when the process ends. */
  readonly shutdownTimeoutMs: number;
  readonly formatTime: FormatTime;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #movers: readonly Repeater[];
  #paused: readonly string[] = [];

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const every = (name: string, task: () => Promise<void>) =>
      new Repeater(parts.clock, INTERVAL_MS, task, error => parts.events.failed(name, error));
    this.#movers = [
      every('reroute', () => this.#moveStranded()),
      every('paused carriers', async () => {
        this.#shareRates();
        await this.refreshPaused();
      }),
    ];
  }

  /** How the lanes are doing. */
  health(): LaneHealth[] {
    return [...this.#lanes.values()].map(lane => lane.health());
  }

  isAvailable(carrier: string): boolean {
    return this.#lanes.get(carrier)?.gate.isAvailable(this.#parts.clock.monotonic()) ?? false;
  }

  /** What is to be told of the carriers. */
  views(): CarrierView[] {
    return [...this.#lanes.values()].map(lane => lane.view());
  }

  async test(carrier: string): Promise<CarrierTest> {
    const lane = this.#lanes.get(carrier);
    return lane ? lane.carrier.test() : { isOk: false, detail: 'this node does not run it' };
  }

  async start(carriers: readonly Carrier[]): Promise<void> {
    await this.refreshPaused();
    for (const carrier of carriers) await this.add(carrier);
    for (const mover of this.#movers) mover.start();
  }

  /** Begins to send by a carrier. */
  async add(carrier: Carrier): Promise<void> {
    const lane = new Lane({ ...this.#parts, carrier });
    lane.gate.isPaused = this.#paused.includes(carrier.name);
    this.#lanes.set(carrier.name, lane);
    await carrier.start({
      receive: async receipts => {
        const events = receipts.map(receipt => this.#receiptEvent(carrier.name, receipt));
        const settled = await this.#parts.settle(events);
        return settled.map(fate => (fate === 'parked' ? 'parked' : 'settled'));
      },
      answeredLate: (attemptId, answer) => lane.answeredLate(attemptId, answer),
      throttled: (parts, sentMsAgo) => lane.partsThrottled(parts, sentMsAgo),
      knownRefs: refs => this.#parts.store.queue.knownRefs(carrier.name, refs),
      statusChanged: () => lane.wake(),
      noticed: (name, details) => this.#parts.events.carrierNoticed(carrier.name, name, details),
    });
    lane.start();
  }

  /** Stops sending by a carrier: answers under way are waited for, what is queued for it goes another way. */
  async remove(name: string): Promise<void> {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    await lane.close();
    if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
  }

  wake(): void {
    for (const lane of this.#lanes.values()) lane.wake();
  }

  async refreshPaused(): Promise<void> {
    this.#paused = await this.#parts.store.carriers.paused();
    for (const lane of this.#lanes.values()) {
      const isPaused = this.#paused.includes(lane.carrier.name);
      if (lane.gate.isPaused === isPaused) continue;
      lane.gate.isPaused = isPaused;
      lane.wake();
    }
  }

  /** Nodes that send by the same carrier share its rate. */
  #shareRates(): void {
    for (const lane of this.#lanes.values()) {
      lane.pace.shareBetween(this.#parts.cluster.nodesServing(lane.carrier.name));
    }
  }

  /** Stops claiming and closes the carriers; answers under way are waited for and settled. */
  async stop(): Promise<void> {
    await Promise.all(this.#movers.map(mover => mover.stop()));
    await Promise.all([...this.#lanes.values()].map(lane => lane.close(this.#parts.shutdownTimeoutMs)));
  }

  #receiptEvent(carrier: string, receipt: CarrierReceipt): QueueEvent {
    const { reportCode, network, userType, to, from } = receipt;
    const details = {
      ...(network !== undefined && { network }),
      ...(userType !== undefined && { userType }),
    };
    const about = 'attemptId' in receipt ? parseAttemptId(receipt.attemptId) : undefined;
    return {
      kind: 'receipt',
      carrier,
      ref: 'ref' in receipt ? receipt.ref : receipt.attemptId,
      ...(to !== undefined && { to }),
      ...(from !== undefined && { from }),
      ...(about && { about }),
      receivedAt: this.#parts.clock.now(),
      event:
        reportCode === DELIVERED
          ? { name: 'receivedDelivered', ...details }
          : { name: 'receivedFailed', reportCode, ...details },
    };
  }

  /** Steps that wait for a carrier which nobody runs any more, or which is down, go another way where there is one. */
  async #moveStranded(): Promise<void> {
    const { store, cluster } = this.#parts;
    if (!cluster.isMember) return;
    for (const carrier of await store.queue.carriers()) {
      const mustMove = this.#lanes.has(carrier) ? this.#hasBetter(carrier) : cluster.isUnserved(carrier);
      // What a node without a route for it left behind goes on as soon as a node has one.
      if (mustMove || carrier === UNROUTED) await this.#move(carrier);
    }
  }

  /** The carrier takes nothing, and another would. */
  #hasBetter(carrier: string): boolean {
    if (this.isAvailable(carrier)) return false;
    const others = alternativesOf(this.#parts.network().rules, carrier);
    return [...others].some(other => this.isAvailable(other));
  }

  async #move(carrier: string): Promise<void> {
    const { store, settle, clock, claims } = this.#parts;
    const accounts = await store.queue.readyAccounts({ carrier, after: undefined, limit: MOVE_ACCOUNTS });
    if (accounts.length === 0) return;
    const limit = Math.ceil(MOVE_LIMIT / accounts.length);
    const shares = accounts.map(account => ({ account, limit }));
    const stranded = await claims.claim({ carrier, shares, now: clock.now(), onlyMovable: true });
    if (stranded.length === 0) return;
    try {
      await settle(stranded.map(live => this.#moveEvent(live)));
    } finally {
      // Written down or not: none of them was handed to a carrier. If not, they are found as strays.
      claims.abandon(stranded);
    }
  }

  #moveEvent(live: LiveStep): QueueEvent {
    const { msgKey, step, attempt, claim } = live;
    const event = this.#newRoute(live);
    return { kind: 'step', msgKey, step, attempt, event, ...(claim !== undefined && { claim }) };
  }

  #newRoute(live: LiveStep): StepEvent {
    const channel = live.flow[live.step]?.channel;
    if (channel === undefined) throw new Error(`message ${live.msgKey} has no step ${live.step}`);
    const route = this.#parts.route({ account: live.account, channel, to: live.to });
    if (route.carrier === live.carrier && this.#lanes.has(live.carrier)) {
      return { name: 'returned', retryAfterMs: WAIT_MS };
    }
    // What was meant for a real carrier is never "delivered" by the sandbox's own network.
    const isStandIn = route.carrier === this.#parts.network().otherwise;
    const isServed = route.carrier !== UNROUTED && this.#lanes.has(route.carrier) && !isStandIn;
    if (isServed) return { name: 'rerouted', ...route };
    const isOthers = this.#parts.cluster.isRoutedElsewhere(channel);
    return isOthers || !this.#parts.cluster.isUnserved(live.carrier)
      ? { name: 'returned', retryAfterMs: WAIT_MS }
      : { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(channel)] };
  }
}
