/**
 * The world of one seed: a store, carriers, receivers, clients, and nodes that come and go. `live` lets things go wrong
 * for some steps; `comeToRest` ends all trouble and lets everything finish, so that the invariants can be looked at.
 */

import { DEFAULT_ACCOUNT_SETTINGS } from '../../src/domain/account/account.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { ReportRecord } from '../../src/domain/reports/report-record.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { Activity } from './activity.ts';
import { Clients } from './clients.ts';
import { CALM } from './faulty-store.ts';
import { Ledger } from './ledger.ts';
import { CARRIERS, FULL, PLANS } from './network-plans.ts';
import type { ProcessParts } from './node.ts';
import { type Action, mannersOf, type Profile, profileOf } from './profile.ts';
import { Receivers } from './receivers.ts';
import { RunningNode } from './running-node.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedPeer } from './simulated-peer.ts';
import type { StoreInMemory } from './store-in-memory.ts';
import { Trace } from './trace.ts';

export const POLLER = 'poller' as AccountId;
export const HOOK = 'hook' as AccountId;
/** Changes between polling and webhook. */
export const TURNER = 'turner' as AccountId;
export const ACCOUNTS = [POLLER, HOOK, TURNER];

interface Slot {
  node: RunningNode;
  /** The node's number in its slot. */
  incarnation: number;
  restartAt: number | undefined;
}

/** A node gives a lost link five seconds before it sends another way. */
const STRANDED_AFTER_MS = 5_000;
const STRANDED_FOR_MS = 20_000;

export class World {
  readonly clock = new ManualClock();
  readonly activity = new Activity();
  readonly trace: Trace;
  readonly ledger: Ledger;
  readonly profile: Profile;
  readonly peers = new Map<string, SimulatedPeer>();
  readonly receivers: Receivers;
  readonly clients: Clients;
  readonly process: ProcessParts;
  readonly #database: StoreInMemory;
  readonly #random: SeededRandom;
  readonly #slots: Slot[] = [];
  #store: Store;
  #kept = Number.POSITIVE_INFINITY;
  #heldBack = 0;
  readonly #startedAt: number;

  constructor(
    seed: number,
    parts: {
      readonly process: ProcessParts;
      readonly database: StoreInMemory;
      readonly print: ((line: string) => void) | undefined;
    },
  ) {
    const root = new SeededRandom(`seed ${seed}`);
    this.#random = root.fork('world');
    this.process = parts.process;
    this.trace = new Trace(() => this.clock.monotonic(), parts.print);
    this.ledger = new Ledger(this.trace);
    this.profile = profileOf(root.fork('profile'));
    const shared = { clock: this.clock, ledger: this.ledger, trace: this.trace };
    for (const name of CARRIERS) {
      const random = root.fork(`peer ${name}`);
      this.peers.set(name, new SimulatedPeer(name, mannersOf(random), { ...shared, random }));
    }
    this.receivers = new Receivers(this.profile.receivers, { ...shared, random: root.fork('receivers') });
    this.clients = new Clients({ ...shared, random: root.fork('clients'), store: () => this.store });
    this.#startedAt = this.clock.now() - this.clock.monotonic();
    this.#database = parts.database;
    this.#store = parts.database.open(this.clock);
  }

  /** How far the wall clock has been set back, on the whole; 0 where it is ahead. */
  get setBackMs(): number {
    return Math.max(0, this.#startedAt - (this.clock.now() - this.clock.monotonic()));
  }

  countUnfetched(account: AccountId): number {
    return this.#database.countUnfetched(account);
  }

  /** The store itself, without faults. */
  get store(): Store {
    return this.#store;
  }

  get nodes(): readonly RunningNode[] {
    return this.#slots.map(({ node }) => node);
  }

  async begin(): Promise<void> {
    this.trace.note('profile', JSON.stringify(this.profile));
    for (const peer of this.peers.values()) this.trace.note(peer.name, JSON.stringify(peer.manners));
    const { reportRecords } = this.profile;
    for (const id of ACCOUNTS) {
      const hook = id === HOOK ? { reportMode: 'webhook' as const } : {};
      const settings = {
        ...DEFAULT_ACCOUNT_SETTINGS,
        reportRecords,
        webhookUrl: `http://${id}.test/`,
        ...hook,
      };
      await this.#store.accounts.create({
        id,
        passwordHash: '',
        blocked: false,
        tokenEpoch: 0,
        createdAt: 1,
        settings,
      });
    }
    for (let slot = 0; slot < this.profile.nodes; slot++) {
      const node = this.#createNode(slot, 1);
      this.#slots.push({ node, incarnation: 1, restartAt: undefined });
      node.start();
    }
    await this.activity.quiet();
  }

  async live(steps: number): Promise<void> {
    const { actions, longestPauseMs } = this.profile;
    for (let step = 0; step < steps; step++) {
      this.#act(this.#random.weighted(actions));
      await this.pass(10 * this.#random.between(0, longestPauseMs / 10));
    }
  }

  #act(action: Action): void {
    const random = this.#random;
    const serving = this.nodes.filter(node => node.isServing);
    if (serving.length === 0) return;
    const node = random.pick(serving);
    const poller = random.pick([POLLER, TURNER]);
    switch (action) {
      case 'send':
        void this.clients.send(node, random.pick(ACCOUNTS));
        break;
      case 'poll':
        void this.clients.poll(node, poller);
        break;
      case 'acknowledge':
        void this.clients.acknowledge(node, poller);
        break;
      case 'storeTrouble':
        node.weather = this.profile.storeTrouble;
        this.clock.schedule(random.between(100, 8000), () => {
          node.weather = CALM;
        });
        break;
      case 'strand':
        // Steps gather for a carrier whose link is lost; when the node moves them to another, the store fails.
        for (const link of node.links.filter(({ name }) => name === 'alpha')) link.drop(STRANDED_FOR_MS);
        this.clock.schedule(STRANDED_AFTER_MS, () => {
          node.weather = { ...CALM, before: 400 };
          this.clock.schedule(random.between(1_000, 4_000), () => {
            node.weather = CALM;
          });
        });
        break;
      case 'dropLink':
        random.pick(node.links).drop(random.between(100, 30_000));
        break;
      case 'kill':
        node.kill();
        break;
      case 'stop':
        node.stop();
        break;
      case 'freeze':
        node.freeze(random.between(500, 20_000));
        break;
      case 'reload':
        node.reload(this.#planFor(this.#slots.findIndex(slot => slot.node === node)));
        break;
      case 'jump':
        this.#jump(random.between(-3_600_000, 3_600_000));
        break;
      case 'switchMode':
        void this.#store.accounts.update(TURNER, account => {
          const reportMode = account.settings.reportMode === 'webhook' ? 'polling' : 'webhook';
          this.trace.note(TURNER, `is in ${reportMode} mode`);
          return { ...account, settings: { ...account.settings, reportMode } };
        });
        break;
      case 'pauseCarrier': {
        const carrier = random.pick(CARRIERS);
        this.trace.note(carrier, 'is paused');
        void this.#store.carriers.pause(carrier, this.clock.now());
        this.clock.schedule(random.between(500, 10_000), () => void this.#store.carriers.resume(carrier));
      }
    }
  }

  #jump(ms: number): void {
    this.trace.note('clock', `jumps by ${ms}`);
    this.clock.setWallBy(ms);
  }

  /** Ends all trouble; every node that is down comes back. */
  async calm(): Promise<void> {
    this.trace.note('world', 'all trouble ends');
    for (const peer of this.peers.values()) peer.calm();
    this.receivers.calm();
    for (const node of this.nodes) {
      node.weather = CALM;
      node.life.thaw();
      for (const link of node.links) link.restore();
    }
    for (const carrier of CARRIERS) await this.#store.carriers.resume(carrier);
    await this.switchWebhooksOn();
    await this.activity.quiet();
  }

  /** What an operator does about a receiver that was gone and is back. */
  async switchWebhooksOn(): Promise<void> {
    for (const account of ACCOUNTS) await this.#store.webhooks.switchOn(account);
  }

  /** From now on only the first `count` slots are filled; the others' nodes stop. */
  keepOnly(count: number): void {
    this.#kept = count;
    for (const node of this.nodes.slice(count)) node.stop();
  }

  /** Waits for a client's call, while time passes; undefined when it is not answered. */
  async during<T>(call: Promise<T>): Promise<T | undefined> {
    let answer: T | undefined;
    let isOver = false;
    void call.then(given => {
      answer = given;
      isOver = true;
    });
    for (let leaps = 0; leaps < 100 && !isOver; leaps++) await this.leap(100);
    return answer;
  }

  /** Time passes moment by moment: whatever falls due is over before the next thing does. */
  async pass(ms: number): Promise<void> {
    let left = ms;
    do {
      const stepMs = Math.min(left, this.clock.msUntilNext() ?? left);
      await this.leap(stepMs);
      left -= stepMs;
    } while (left > 0 || this.clock.msUntilNext() === 0);
  }

  /** Time passes at once: as for a process that was held up for so long. */
  async leap(ms: number): Promise<void> {
    this.clock.advance(ms);
    if (!(await this.activity.quiet()))
      this.ledger.violated('it never comes to rest between two moments', '');
    await this.#revive();
  }

  /** Starts again what has ended and is due. */
  async #revive(): Promise<void> {
    const now = this.clock.monotonic();
    for (const [index, slot] of this.#slots.entries()) {
      if (!slot.node.isGone || index >= this.#kept) continue;
      slot.restartAt ??= now + this.#random.between(100, 8000);
      if (slot.restartAt > now) continue;
      if (this.nodes.every(node => node.isGone)) {
        // The process of an embedded store holds it open; without one, it is opened anew.
        await this.#store.close();
        this.#store = this.#database.open(this.clock);
      }
      slot.incarnation++;
      slot.restartAt = undefined;
      slot.node = this.#createNode(index, slot.incarnation);
      slot.node.start();
      await this.activity.quiet();
    }
  }

  #planFor(slot: number) {
    const isFull = slot === 0 || this.profile.isUniform;
    return isFull ? FULL : this.#random.pick(PLANS);
  }

  #createNode(slot: number, incarnation: number): RunningNode {
    const name = `node-${slot}-${incarnation}`;
    const plan = this.#planFor(slot);
    return new RunningNode(name, plan, this.#random.fork(name), this);
  }

  onReport(report: ReportRecord, by: RunningNode): void {
    const { msgKey, step, reportCode, serviceType } = report;
    this.trace.note(by.name, `reports ${msgKey}/${step} ${reportCode}`);
    if (reportCode !== '23015') return;
    const channel = serviceType.toLowerCase();
    const serves = (node: RunningNode) =>
      !node.isGone && node.plan.routes.some(route => route.channel === channel);
    const other = this.nodes.find(serves);
    if (other)
      this.ledger.violated(
        'refused though a node serves it',
        `${msgKey}/${step} by ${by.name}, ${other.name} serves it`,
      );
  }

  /** Calls that the store has not done yet: whoever made them may have given up waiting. */
  get heldBack(): number {
    return this.#heldBack;
  }

  onHeldBack(): () => void {
    this.#heldBack++;
    return () => {
      this.#heldBack--;
    };
  }

  async close(): Promise<void> {
    for (const node of this.nodes) node.kill();
    await this.activity.quiet();
    await this.#store.close();
  }
}
