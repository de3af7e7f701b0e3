/** The dispatcher: a lane for each carrier, and receipts on their way to settle. Carriers come and go while it runs. */
import type {
  Carrier,
  CarrierInbound,
  CarrierReceipt,
  CarrierTest,
  InboundName,
} from '../carriers/carrier.ts';
import type { Step } from '../domain/delivery/flow.ts';
import { type ChooseRoute, type Network, UNROUTED } from '../domain/delivery/routing.ts';
import { parseAttemptId } from '../domain/ids.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import { receiptDetails } from '../domain/reports/report-record.ts';
import { backgroundTasks } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { NewMessage, Store } from '../store/store.ts';
import type { LaneHealth } from './carrier-health.ts';
import type { CarrierView } from './carrier-publisher.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { Lane, type PromisedRoom } from './lane.ts';
import type { ReceiptEvent } from './outcomes.ts';
import { PaceShares } from './pace-shares.ts';
import { ReceiptOwners, type ReceiptsOf } from './receipt-owners.ts';
import type { Settle } from './settle.ts';
import { silentMessages } from './silent-messages.ts';
import type { StepCheck } from './step-check.ts';
import { createMoveStrandedSteps } from './stranded-steps.ts';

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
  /** Removed, with answers that the store has not taken yet. */
  readonly #leaving = new Set<Lane>();
  readonly #tasks: ReturnType<typeof backgroundTasks>;
  readonly #shares: PaceShares;
  #paused: readonly string[] = [];
  /** How often operators had asked for a reconnect of each carrier; undefined until this was read. */
  #reconnects: ReadonlyMap<string, number> | undefined;
  #isStopping = false;
  #told: 'draining' | 'drained' | 'sendsAgain' = 'sendsAgain';

  constructor(deps: Deps) {
    this.#deps = deps;
    const { store, settle, clock, claims, cluster, route, network } = deps;
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
    this.#tasks = backgroundTasks(deps, [
      ['reroute', moveStrandedSteps],
      [
        'paused carriers',
        async () => {
          this.#stopIfDraining();
          this.#tellOfDraining();
          await this.refreshOrders();
        },
      ],
      ['rate shares', () => this.#shares.renew()],
    ]);
  }

  /** The state of every lane. */
  health(): LaneHealth[] {
    return [...this.#lanes.values()].map(lane => lane.health());
  }

  /** Its messages go out by this node or by another one, now or in a moment. */
  isAvailable(carrier: string): boolean {
    const { clock, cluster } = this.#deps;
    const isHere = this.#lanes.get(carrier)?.gate.isAvailable(clock.monotonic()) ?? false;
    return isHere || cluster.isUpElsewhere(carrier);
  }

  /** This node sends by it. */
  isUpHere(carrier: string): boolean {
    return this.#lanes.get(carrier)?.gate.isUp(this.#deps.clock.monotonic()) ?? false;
  }

  /** How many parts a carrier makes of a message; undefined where this node does not run it. */
  partsOf(carrier: string, message: Step): number | undefined {
    return this.#lanes.get(carrier)?.carrier.partsOf(message);
  }

  /** Of this node's carriers. */
  receiptsOf(): ReceiptsOf {
    return new Map(
      [...this.#lanes].flatMap(([name, { carrier }]) => {
        const { receiptsOf: others = [] } = carrier.capabilities;
        return others.length === 0 ? [] : [[name, others]];
      }),
    );
  }

  /** The state of the carriers, for operators. */
  views(): CarrierView[] {
    return [...this.#lanes.values()].map(lane => lane.view());
  }

  async test(carrier: string): Promise<CarrierTest> {
    const lane = this.#lanes.get(carrier);
    if (!lane) return { isOk: false, detail: 'this node does not run it' };
    lane.reconnect();
    return lane.carrier.test();
  }

  /** Carriers of this node that wait before their next attempt make it now. */
  reconnect(): void {
    for (const lane of this.#lanes.values()) lane.reconnect();
  }

  async start(carriers: readonly Carrier[]): Promise<void> {
    await this.refreshOrders();
    for (const carrier of carriers) await this.add(carrier);
    this.#tasks.start();
  }

  /** Begins to send by a carrier; not while it stops, when nobody would wait for what the carrier was given. */
  async add(carrier: Carrier): Promise<void> {
    if (this.#isStopping) return;
    const { store, settle, clock, events, claims, cluster, route, check } = this.#deps;
    const lane = new Lane({ carrier, store, settle, clock, events, claims, cluster, route, check });
    lane.gate.isPaused = this.#paused.includes(carrier.name);
    lane.gate.isDraining = cluster.isDraining;
    this.#shares.watch(lane);
    this.#lanes.set(carrier.name, lane);
    const { receiptsOf: others = [], isWithoutReceipts = false } = carrier.capabilities;
    events.carrierAdded(carrier.name, !isWithoutReceipts);
    const owners = new ReceiptOwners({ store, clock, carrier: carrier.name, others });
    await carrier.start({
      receive: async receipts => {
        const ownerOf: ReadonlyMap<CarrierReceipt, string> = await owners.of(
          receipts.flatMap(receipt => ('ref' in receipt ? [receipt] : [])),
        );
        const events = receipts.map(receipt =>
          this.#receiptEvent(ownerOf.get(receipt) ?? carrier.name, receipt, others),
        );
        const settled = await lane.received(events);
        return settled.map(result => (result === 'parked' ? 'parked' : 'settled'));
      },
      receiveInbound: messages => this.#deps.inbound.receive(carrier.name, messages),
      confirmInbound: names => this.#deps.inbound.confirm(names),
      answeredLate: (attemptId, answer) => lane.answeredLate(attemptId, answer),
      partlyTaken: (attemptId, answers) => lane.partlyTaken(attemptId, answers),
      refused: reason => lane.refused(reason),
      submitRest: (attemptId, parts, submit) => lane.submitRest({ attemptId, parts, submit }),
      knownRefs: refs => owners.knownRefs(refs),
      silent: query => silentMessages(store, clock, carrier.name, query),
      statusChanged: () => lane.statusChanged(),
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

  /**
   * Stops sending by a carrier. Answers under way are waited for, as long as at the end of the process; steps queued for it
   * go by another carrier.
   */
  async remove(name: string): Promise<void> {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    await lane.retire(this.#deps.shutdownTimeoutMs);
    if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
    this.#leaving.add(lane);
    void lane.ended.then(() => this.#leaving.delete(lane));
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

  /** What operators have asked for, on any node. */
  async refreshOrders(): Promise<void> {
    const { store } = this.#deps;
    const [paused, reconnects] = await Promise.all([store.carriers.paused(), store.carriers.reconnects()]);
    const before = this.#reconnects ?? reconnects;
    this.#reconnects = reconnects;
    this.#paused = paused;
    for (const lane of this.#lanes.values()) {
      const { name } = lane.carrier;
      if (reconnects.get(name) !== before.get(name)) lane.reconnect();
      const isPaused = paused.includes(name);
      if (lane.gate.isPaused === isPaused) continue;
      lane.gate.isPaused = isPaused;
      this.#deps.events.carrierNoticed(lane.carrier.name, isPaused ? 'paused' : 'resumed');
      lane.wake();
    }
  }

  /** Parts that wait for their answer, over all carriers, and messages that were taken in part. */
  get inFlight(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.view().inFlight + lane.rests, 0);
  }

  #stopIfDraining(): void {
    const { isDraining } = this.#deps.cluster;
    for (const lane of this.#lanes.values()) {
      if (lane.gate.isDraining === isDraining) continue;
      lane.gate.isDraining = isDraining;
      lane.wake();
    }
  }

  #tellOfDraining(): void {
    const { cluster, events } = this.#deps;
    const isDrained = this.#told !== 'sendsAgain' && this.inFlight === 0;
    const state = cluster.isDraining ? (isDrained ? 'drained' : 'draining') : 'sendsAgain';
    if (state === this.#told) return;
    this.#told = state;
    events.draining(state, this.inFlight);
  }

  /** Stops claiming and closes the carriers; answers under way are waited for and settled. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closing = [...this.#lanes.values(), ...this.#leaving].map(lane =>
      lane.close(this.#deps.shutdownTimeoutMs),
    );
    await Promise.all([...closing, this.#tasks.stop()]);
  }

  #receiptEvent(carrier: string, receipt: CarrierReceipt, others: readonly string[]): ReceiptEvent {
    const { reportCode, to, from } = receipt;
    const details = receiptDetails(receipt);
    const about = 'attemptId' in receipt ? parseAttemptId(receipt.attemptId) : undefined;
    return {
      kind: 'receipt',
      carrier,
      ref: 'ref' in receipt ? receipt.ref : receipt.attemptId,
      ...(to !== undefined && { to }),
      ...(from !== undefined && { from }),
      ...(about && { about, receiptsOf: others }),
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
