/** The dispatcher: a lane for each carrier, receipts on their way to settle, and steps of carriers that are gone. */
import type { Carrier, CarrierReceipt } from '../carriers/carrier.ts';
import { DELIVERED, familyOf, NO_ROUTE_CODE } from '../domain/report-codes.ts';
import { type LiveStep, type Route, type StepEvent, UNROUTED } from '../domain/settlement.ts';
import type { Events } from '../operations/events.ts';
import type { Settle } from '../operations/settle.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { QueueEvent, Store } from '../store/store.ts';
import { Lane } from './lane.ts';
import { Repeater } from './repeater.ts';

const STRAY_INTERVAL_MS = 1000;
const STRAY_LIMIT = 500;

export class Dispatcher {
  readonly #carriers: readonly Carrier[];
  readonly #lanes: ReadonlyMap<string, Lane>;
  readonly #store: Store;
  readonly #settle: Settle;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #route: Route;
  readonly #owner: string;
  readonly #strays: Repeater;

  constructor(deps: {
    readonly carriers: readonly Carrier[];
    readonly store: Store;
    readonly settle: Settle;
    readonly clock: Clock;
    readonly events: Events;
    readonly route: Route;
    readonly owner: string;
    readonly formatTime: FormatTime;
  }) {
    this.#carriers = deps.carriers;
    this.#store = deps.store;
    this.#settle = deps.settle;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#route = deps.route;
    this.#owner = deps.owner;
    this.#lanes = new Map(deps.carriers.map(carrier => [carrier.name, new Lane({ ...deps, carrier })]));
    this.#strays = new Repeater(
      deps.clock,
      STRAY_INTERVAL_MS,
      () => this.#rerouteStrays(),
      error => deps.events.failed('reroute', error),
    );
  }

  /** When the slowest lane last looked at its queue with success. */
  get lastClaimAt(): number {
    return Math.min(this.#clock.now(), ...[...this.#lanes.values()].map(lane => lane.lastClaimAt));
  }

  async start(): Promise<void> {
    for (const carrier of this.#carriers) {
      await carrier.start({
        receive: receipts => this.#settle(receipts.map(receipt => this.#receiptEvent(carrier.name, receipt))),
        statusChanged: () => this.#lanes.get(carrier.name)?.wake(),
        noticed: (name, details) => this.#events.carrierNoticed(carrier.name, name, details),
      });
    }
    for (const lane of this.#lanes.values()) lane.start();
    this.#strays.start();
  }

  wake(): void {
    for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Stops claiming, waits for answers under way, then closes the carriers. */
  async stop(): Promise<void> {
    await this.#strays.stop();
    await Promise.all([...this.#lanes.values()].map(lane => lane.stop()));
    await Promise.all(this.#carriers.map(carrier => carrier.close()));
  }

  #receiptEvent(carrier: string, receipt: CarrierReceipt): QueueEvent {
    const { reportCode, network, userType } = receipt;
    const details = {
      ...(network !== undefined && { network }),
      ...(userType !== undefined && { userType }),
    };
    return {
      kind: 'receipt',
      carrier,
      ref: 'ref' in receipt ? receipt.ref : receipt.attemptId,
      receivedAt: this.#clock.now(),
      event:
        reportCode === DELIVERED
          ? { name: 'receivedDelivered', ...details }
          : { name: 'receivedFailed', reportCode, ...details },
    };
  }

  /** Steps that wait for a carrier which is not configured any more get another, or are refused. */
  async #rerouteStrays(): Promise<void> {
    for (const carrier of await this.#store.queue.carriers()) {
      if (this.#lanes.has(carrier)) continue;
      const order = { owner: this.#owner, carrier, limit: STRAY_LIMIT, now: this.#clock.now() };
      const strays = await this.#store.queue.claim(order);
      if (strays.length === 0) continue;
      await this.#settle(
        strays.map(live => ({
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
    const carrier = this.#route(live.account, channel, live.to);
    if (carrier !== UNROUTED && this.#lanes.has(carrier)) return { name: 'rerouted', carrier };
    return { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(channel)] };
  }
}
