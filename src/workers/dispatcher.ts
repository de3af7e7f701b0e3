/**
 * The dispatcher: a lane for each carrier, receipts on their way to settle, and steps whose carrier is gone or down on
 * their way to another. Carriers come and go while it runs.
 */
import type { Carrier, CarrierReceipt, CarrierTest } from '../carriers/carrier.ts';
import { parseAttemptId } from '../domain/ids.ts';
import { DELIVERED, familyOf, NO_ROUTE_CODE } from '../domain/report-codes.ts';
import { alternativesOf, type Network, UNROUTED } from '../domain/routing.ts';
import type { LiveStep, Route, StepEvent } from '../domain/settlement.ts';
import type { CarrierView } from '../operations/carriers.ts';
import type { Events } from '../operations/events.ts';
import type { Settle } from '../operations/settle.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { QueueEvent, Store } from '../store/store.ts';
import { Lane } from './lane.ts';
import { Repeater } from './repeater.ts';

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
  readonly route: Route;
  readonly network: () => Network;
  readonly owner: string;
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
      every('paused carriers', () => this.refreshPaused()),
    ];
  }

  /** When the slowest lane last looked at its queue with success. */
  get lastClaimAt(): number {
    const lanes = [...this.#lanes.values()];
    return Math.min(this.#parts.clock.now(), ...lanes.map(lane => lane.lastClaimAt));
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
    await lane.retire();
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

  /** Stops claiming, waits for answers under way, then closes the carriers. */
  async stop(): Promise<void> {
    await Promise.all(this.#movers.map(mover => mover.stop()));
    const lanes = [...this.#lanes.values()];
    await Promise.all(lanes.map(lane => lane.stop()));
    await Promise.all(lanes.map(lane => lane.carrier.close()));
  }

  #receiptEvent(carrier: string, receipt: CarrierReceipt): QueueEvent {
    const { reportCode, network, userType, to } = receipt;
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
      ...(about && { about }),
      receivedAt: this.#parts.clock.now(),
      event:
        reportCode === DELIVERED
          ? { name: 'receivedDelivered', ...details }
          : { name: 'receivedFailed', reportCode, ...details },
    };
  }

  /** Steps that wait for a carrier which is not configured any more, or down, go another way where there is one. */
  async #moveStranded(): Promise<void> {
    const { store, settle, clock, owner, network } = this.#parts;
    for (const carrier of await store.queue.carriers()) {
      const others = alternativesOf(network().rules, carrier);
      const hasOther = [...others].some(other => this.isAvailable(other));
      if (this.#lanes.has(carrier) && (this.isAvailable(carrier) || !hasOther)) continue;
      const now = clock.now();
      const waiting = await store.queue.waiting({ carrier, after: undefined, limit: MOVE_ACCOUNTS, now });
      const limit = Math.ceil(MOVE_LIMIT / Math.max(1, waiting.length));
      const shares = waiting.map(entry => ({ ...entry, limit }));
      const stranded = shares.length > 0 ? await store.queue.claim({ owner, carrier, shares, now }) : [];
      if (stranded.length === 0) continue;
      await settle(
        stranded.map(live => ({
          kind: 'step',
          msgKey: live.msgKey,
          step: live.step,
          attempt: live.attempt,
          event: this.#newCourse(live),
        })),
      );
    }
  }

  #newCourse(live: LiveStep): StepEvent {
    const channel = live.flow[live.step]?.channel;
    if (channel === undefined) throw new Error(`message ${live.msgKey} has no step ${live.step}`);
    const course = this.#parts.route({ account: live.account, channel, to: live.to });
    if (course.carrier === live.carrier && this.#lanes.has(live.carrier)) {
      return { name: 'returned', retryAfterMs: WAIT_MS };
    }
    const isServed = course.carrier !== UNROUTED && this.#lanes.has(course.carrier);
    return isServed
      ? { name: 'rerouted', ...course }
      : { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(channel)] };
  }
}
