/** A slot of the cluster: the node that runs there, how it ends, and how it comes back. */

import type { LiveStep } from '../../src/domain/delivery/settlement.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { ReportRecord } from '../../src/domain/reports/report-record.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import type { ClusterClock } from '../../src/platform/cluster-clock.ts';
import type { QueueEvent, SettleResult, Store, TakenOver } from '../../src/store/store.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { ACCOUNTS } from './accounts.ts';
import { CALM, faultyStore, type StoreWeather } from './faulty-store.ts';
import { FLOWS } from './flows.ts';
import type { Ledger } from './ledger.ts';
import type { Life } from './life.ts';
import type { NetworkPlan } from './network-plans.ts';
import { createNode, type ProcessParts, type SimulatedNode } from './node.ts';
import type { Profile } from './profile.ts';
import type { Receivers } from './receivers.ts';
import type { SeededRandom } from './seeded-random.ts';
import { SimulatedLink } from './simulated-link.ts';
import type { SimulatedPeer } from './simulated-peer.ts';
import type { Trace } from './trace.ts';

export interface NodeWorld {
  readonly process: ProcessParts;
  readonly profile: Profile;
  readonly clock: ManualClock;
  readonly ledger: Ledger;
  readonly trace: Trace;
  readonly store: Store;
  readonly peers: ReadonlyMap<string, SimulatedPeer>;
  readonly receivers: Receivers;
  onReport(report: ReportRecord, by: RunningNode): void;
  /** A call that the store will do later; the function says that it is over. */
  onHeldBack(): () => void;
}

/** What a process has before it opens its store. */
export interface Seat {
  readonly life: Life;
  readonly clock: ClusterClock;
}

const ANY_STEP = FLOWS.flatMap(({ flow: [step] }) => (step ? [{ step, first: step }] : []))[0];

/** A node that has not stopped after this long is killed. */
const STOP_PATIENCE_MS = 40_000;

export class RunningNode {
  readonly name: string;
  readonly parts: SimulatedNode;
  weather: StoreWeather = CALM;
  plan: NetworkPlan;
  readonly life: Life;
  readonly #world: NodeWorld;
  readonly #links: SimulatedLink[] = [];
  #state: 'starting' | 'serving' | 'stopping' | 'gone' = 'starting';
  readonly #calls = new Set<Promise<void>>();
  #isReloading = false;
  /** Since when it knows that an account has a list of opt-outs. */
  readonly #optOutLists = new Map<AccountId, number>();

  constructor(
    name: string,
    plan: NetworkPlan,
    random: SeededRandom,
    world: NodeWorld,
    { life, clock: own }: Seat,
  ) {
    this.name = name;
    this.life = life;
    this.plan = plan;
    this.#world = world;
    const { clock, ledger, trace, receivers, store } = world;
    this.parts = createNode({
      name,
      process: world.process,
      clock: own,
      store: faultyStore(store, {
        clock,
        life,
        random: random.fork('store'),
        weather: () => this.weather,
        isOpen: () => world.store === store,
        onDone: (method, args, result) => {
          // The port says what this method takes and gives.
          if (method === 'queue.settle')
            this.#settled(args[0] as readonly QueueEvent[], result as SettleResult);
          else if (method === 'queue.claim') ledger.claimed(result as readonly LiveStep[]);
          else if (method === 'nodes.takeOver') {
            for (const { node, carrier, outcome, steps } of result as readonly TakenOver[])
              trace.note(name, `takes over ${steps} ${outcome} of ${carrier} from ${node}`);
          }
        },
        onFault: (method, fate) => trace.note(name, `${method} ${fate}`),
        onHeldBack: () => world.onHeldBack(),
      }),
      random: random.fork('ids'),
      plan,
      queueLimit: world.profile.queueLimit,
      callWebhook: receivers.callFrom(name, life),
      openLink: carrier => this.#open(carrier, random.fork(`link ${carrier} ${this.#links.length}`)),
      onFailure: (where, error) => {
        trace.note(name, `${where} fails: ${error instanceof Error ? error.message : error}`);
        if (!(error instanceof StoreFault)) ledger.violated('a worker meets a bug', `${where}: ${error}`);
      },
    });
  }

  get isServing(): boolean {
    return this.#state === 'serving' && this.life.isRunning;
  }

  get isGone(): boolean {
    return this.#state === 'gone';
  }

  get links(): readonly SimulatedLink[] {
    return this.#links;
  }

  noticeOptOutLists(): void {
    if (this.#world.profile.actions.optOut === 0 || this.isGone || !ANY_STEP) return;
    for (const account of ACCOUNTS) {
      if (this.#optOutLists.has(account) || !this.parts.optOutLists.covers(account, ANY_STEP)) continue;
      this.#optOutLists.set(account, this.#world.clock.monotonic());
    }
  }

  /** From then on it looks up whoever it sends to. */
  knewOptOuts(account: AccountId, at: number): boolean {
    const since = this.#optOutLists.get(account);
    return since !== undefined && since < at;
  }

  start(): void {
    this.#world.trace.note(this.name, `starts with ${this.plan.carriers.map(({ name }) => name).join()}`);
    this.parts.start().then(
      () => {
        if (this.#state === 'starting') this.#state = 'serving';
      },
      // A process that cannot start ends; whoever watches it starts it again.
      () => this.kill(),
    );
  }

  /** The process ends at once; nothing of it is left but what the store has. */
  kill(isFinished = false): void {
    if (this.#state === 'gone') return;
    this.#world.trace.note(this.name, isFinished ? 'has stopped' : 'is dead');
    this.#state = 'gone';
    this.life.end(isFinished);
    for (const link of this.#links) link.abandon();
  }

  /** The process is asked to end, and killed if it does not. */
  stop(): void {
    if (this.#state !== 'serving') return;
    this.#world.trace.note(this.name, 'stops');
    this.#state = 'stopping';
    this.#world.clock.schedule(STOP_PATIENCE_MS, () => this.kill());
    this.#stopAll().then(
      () => this.kill(true),
      () => this.kill(),
    );
  }

  /** As the server does: what was asked is answered first. */
  async #stopAll(): Promise<void> {
    await Promise.all(this.#calls);
    await this.parts.stop();
  }

  /** A client's call to this node. */
  call<T>(call: () => Promise<T>): Promise<T> {
    const answer = call();
    const over = answer.then(
      () => {},
      () => {},
    );
    this.#calls.add(over);
    void over.then(() => this.#calls.delete(over));
    return answer;
  }

  freeze(ms: number): void {
    if (!this.life.isRunning) return;
    this.#world.trace.note(this.name, `is frozen for ${ms}`);
    this.life.freeze();
    this.#world.clock.schedule(ms, () => {
      this.#world.trace.note(this.name, 'thaws');
      this.life.thaw();
    });
  }

  reload(plan: NetworkPlan): void {
    if (this.#state !== 'serving' || this.#isReloading) return;
    this.#isReloading = true;
    this.plan = plan;
    this.#world.trace.note(this.name, `reloads with ${plan.carriers.map(({ name }) => name).join()}`);
    this.parts.reload(plan).then(
      () => {
        this.#isReloading = false;
      },
      error => this.#world.ledger.violated('a reload fails', String(error)),
    );
  }

  #settled(events: readonly QueueEvent[], { settled, reports }: SettleResult): void {
    const { trace, ledger } = this.#world;
    for (const [index, event] of events.entries()) {
      if (event.kind !== 'step') continue;
      const { msgKey, step, attempt } = event;
      trace.note(this.name, `settles ${msgKey}-${step}-${attempt} ${event.event.name}: ${settled[index]}`);
    }
    ledger.settled(events);
    for (const report of reports) this.#world.onReport(report, this);
  }

  #open(carrier: string, random: SeededRandom): SimulatedLink {
    const peer = this.#world.peers.get(carrier);
    if (!peer) throw new Error(`there is no carrier ${carrier}`);
    const link = new SimulatedLink(peer, {
      clock: this.#world.clock,
      ledger: this.#world.ledger,
      trace: this.#world.trace,
      life: this.life,
      random,
      node: this.name,
    });
    this.#links.push(link);
    return link;
  }
}
