/** The dispatcher: a lane for each carrier, and receipts on their way to settle. Carriers come and go while it runs. */
import type {
  Carrier,
  CarrierInbound,
  CarrierReceipt,
  CarrierTest,
  InboundName,
} from '../carriers/carrier.ts';
import { type ChooseRoute, type Network, UNROUTED } from '../domain/delivery/routing.ts';
import { parseAttemptId } from '../domain/ids.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import { receiptDetails } from '../domain/reports/report-record.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { NewMessage, Store } from '../store/store.ts';
import type { LaneHealth } from './carrier-health.ts';
import type { CarrierView } from './carriers.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { Lane, type PromisedRoom } from './lane.ts';
import type { ReceiptEvent } from './outcomes.ts';
import { PaceShares } from './pace-shares.ts';
import type { Settle } from './settle.ts';
import { silentMessages } from './silent-messages.ts';
import type { StepCheck } from './step-check.ts';
import { createMoveStrandedSteps } from './stranded-steps.ts';

const INTERVAL_MS = 1000;

interface Deps {
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
  readonly check: StepCheck;
  readonly inbound: InboundDesk;
}

/** Takes what people send; see inbound/receive.ts. */
export interface InboundDesk {
  receive(carrier: string, messages: readonly CarrierInbound[]): Promise<readonly InboundName[]>;
  confirm(names: readonly InboundName[]): Promise<void>;
}

export class Dispatcher {
  readonly #deps: Deps;
  readonly #lanes = new Map<string, Lane>();
  readonly #repeaters: readonly Repeater[];
  readonly #shares: PaceShares;
  #paused: readonly string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
    const { store, settle, clock, events, claims, cluster, route, network } = deps;
    const moveStrandedSteps = createMoveStrandedSteps({
      store,
      settle,
      clock,
      claims,
      cluster,
      route,
      network,
      hasLane: carrier => this.#lanes.has(carrier),
      isAvailable: carrier => this.isAvailable(carrier),
    });
    this.#shares = new PaceShares({
      store,
      clock,
      cluster,
      node: claims.owner,
      lanes: () => [...this.#lanes.values()],
    });
    const every = (name: string, task: () => Promise<void>) =>
      new Repeater(clock, INTERVAL_MS, task, error => events.failed(name, error));
    this.#repeaters = [
      every('reroute', moveStrandedSteps),
      every('paused carriers', async () => {
        this.#stopIfDraining();
        await this.refreshPaused();
      }),
      every('rate shares', () => this.#shares.renew()),
    ];
  }

  /** The state of every lane. */
  health(): LaneHealth[] {
    return [...this.#lanes.values()].map(lane => lane.health());
  }

  isAvailable(carrier: string): boolean {
    return this.#lanes.get(carrier)?.gate.isAvailable(this.#deps.clock.monotonic()) ?? false;
  }

  /** The state of the carriers, for operators. */
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
    for (const repeater of this.#repeaters) repeater.start();
  }

  /** Begins to send by a carrier. */
  async add(carrier: Carrier): Promise<void> {
    const { store, settle, clock, events, claims, cluster, route, check } = this.#deps;
    const lane = new Lane({ carrier, store, settle, clock, events, claims, cluster, route, check });
    lane.gate.isPaused = this.#paused.includes(carrier.name);
    lane.gate.isDraining = cluster.isDraining;
    this.#shares.watch(lane);
    this.#lanes.set(carrier.name, lane);
    await carrier.start({
      receive: async receipts => {
        const settled = await lane.received(
          receipts.map(receipt => this.#receiptEvent(carrier.name, receipt)),
        );
        return settled.map(result => (result === 'parked' ? 'parked' : 'settled'));
      },
      receiveInbound: messages => this.#deps.inbound.receive(carrier.name, messages),
      confirmInbound: names => this.#deps.inbound.confirm(names),
      answeredLate: (attemptId, answer) => lane.answeredLate(attemptId, answer),
      throttled: (parts, sentMsAgo) => lane.partsThrottled(parts, sentMsAgo),
      knownRefs: refs => store.queue.knownRefs(carrier.name, refs),
      silent: query => silentMessages(store, clock, carrier.name, query),
      statusChanged: () => lane.wake(),
      noticed: (name, details) => events.carrierNoticed(carrier.name, name, details),
      mayPoll: async () => {
        if (!cluster.isDraining) return store.cluster.takeDuty(pollingOf(carrier), claims.owner);
        await store.cluster.leaveDuty(pollingOf(carrier), claims.owner);
        return false;
      },
      leavePolling: () => store.cluster.leaveDuty(pollingOf(carrier), claims.owner),
    });
    lane.start();
  }

  /** Stops sending by a carrier. Answers under way are waited for; steps queued for it go by another carrier. */
  async remove(name: string): Promise<void> {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    await lane.close();
    if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
  }

  /** Room for messages about to be accepted, if all of them go by one carrier that has it; see Lane. */
  promiseRoom(messages: readonly NewMessage[]): PromisedRoom | undefined {
    const carrier = messages[0]?.route.carrier ?? UNROUTED;
    const isOne = messages.every(({ route }) => route.carrier === carrier);
    return isOne ? this.#lanes.get(carrier)?.promiseRoom(messages.length) : undefined;
  }

  wake(): void {
    for (const lane of this.#lanes.values()) lane.wake();
  }

  async refreshPaused(): Promise<void> {
    this.#paused = await this.#deps.store.carriers.paused();
    for (const lane of this.#lanes.values()) {
      const isPaused = this.#paused.includes(lane.carrier.name);
      if (lane.gate.isPaused === isPaused) continue;
      lane.gate.isPaused = isPaused;
      lane.wake();
    }
  }

  /** Parts that wait for their answer, over all carriers. */
  get inFlight(): number {
    return this.views().reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  #stopIfDraining(): void {
    const { isDraining } = this.#deps.cluster;
    for (const lane of this.#lanes.values()) {
      if (lane.gate.isDraining === isDraining) continue;
      lane.gate.isDraining = isDraining;
      lane.wake();
    }
  }

  /** Stops claiming and closes the carriers; answers under way are waited for and settled. */
  async stop(): Promise<void> {
    const closing = [...this.#lanes.values()].map(lane => lane.close(this.#deps.shutdownTimeoutMs));
    await Promise.all([...closing, ...this.#repeaters.map(repeater => repeater.stop())]);
  }

  #receiptEvent(carrier: string, receipt: CarrierReceipt): ReceiptEvent {
    const { reportCode, to, from } = receipt;
    const details = receiptDetails(receipt);
    const about = 'attemptId' in receipt ? parseAttemptId(receipt.attemptId) : undefined;
    return {
      kind: 'receipt',
      carrier,
      ref: 'ref' in receipt ? receipt.ref : receipt.attemptId,
      ...(to !== undefined && { to }),
      ...(from !== undefined && { from }),
      ...(about && { about }),
      receivedAt: this.#deps.clock.now(),
      event:
        reportCode === DELIVERED
          ? { name: 'receivedDelivered', ...details }
          : { name: 'receivedFailed', reportCode, ...details },
    };
  }
}

/** The duty of fetching a provider's receipts. */
function pollingOf({ name }: Carrier): string {
  return `poll ${name}`;
}
