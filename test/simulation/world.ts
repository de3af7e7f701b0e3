/**
 * The world of one seed: a store, carriers, receivers, clients, and nodes that come and go. `live` lets things go wrong
 * for some steps; `comeToRest` ends all trouble and lets everything finish, so that the invariants can be looked at.
 */

import { DEFAULT_ACCOUNT_SETTINGS } from '../../src/domain/account/account.ts';
import { type AccountId, type MsgKey, requestIdOf } from '../../src/domain/ids.ts';
import type { ReportRecord } from '../../src/domain/reports/report-record.ts';
import { RESERVATION_MOVES } from '../../src/domain/reservation/reservation.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { ClusterClock } from '../../src/platform/cluster-clock.ts';
import type { Store } from '../../src/store/store.ts';
import { ACCOUNTS, HOOK, POLLER, TURNER } from './accounts.ts';
import { Activity } from './activity.ts';
import { Calls } from './calls.ts';
import { Clients } from './clients.ts';
import { DataKeys } from './data-keys.ts';
import { CALM } from './faulty-store.ts';
import { Ledger, type MessageTruth, type SubmitOrder } from './ledger.ts';
import { clockOf, Life } from './life.ts';
import { CARRIERS, FULL, PLANS } from './network-plans.ts';
import type { ProcessParts } from './node.ts';
import { INBOUND_NUMBER, People } from './people.ts';
import { type Action, mannersOf, type Profile, profileOf, wallOffsetOf } from './profile.ts';
import { Receivers } from './receivers.ts';
import { RunningNode, type Seat } from './running-node.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedPeer } from './simulated-peer.ts';
import type { StoreInMemory } from './store-in-memory.ts';
import { Trace } from './trace.ts';

interface Slot {
  node: RunningNode;
  /** The node's number in its slot. */
  incarnation: number;
  restartAt: number | undefined;
}

/** A node gives a lost link five seconds before it sends another way. */
const STRANDED_AFTER_MS = 5_000;
const STRANDED_FOR_MS = 20_000;
/** How long a clock that was set is in doubt (src/platform/cluster-clock.ts). */
const DOUBT_MS = 600_000;
/** How long a clock that was wrong must agree with the database's, and be asked. */
const AGREEMENT_MS = 70_000;
/** By which the time of a node may differ from the database's: half of the longest answer. */
const SKEW_MS = 10_000;
const LONGEST_FREEZE_MS = 20_000;
/** More than a world has. */
const MOST_LIVE = 10_000;
/** One that is damaged is among so many of the latest. */
const LATEST_MESSAGES = 20;

export class World {
  readonly clock = new ManualClock();
  readonly activity = new Activity();
  readonly trace: Trace;
  readonly ledger: Ledger;
  readonly profile: Profile;
  readonly peers = new Map<string, SimulatedPeer>();
  readonly receivers: Receivers;
  readonly calls: Calls;
  readonly clients: Clients;
  readonly people: People;
  readonly process: ProcessParts;
  readonly #database: StoreInMemory;
  readonly #dataKeys = new DataKeys();
  /** Keys of rows that cannot be read, or could not. */
  readonly #damaged = new Set<string>();
  readonly #root: SeededRandom;
  readonly #slots: Slot[] = [];
  /** How far the clock of each slot's machine is ahead. */
  readonly #wallOffsets: number[] = [];
  #store: Store;
  #isCalm = false;
  #kept = Number.POSITIVE_INFINITY;
  #heldBack = 0;
  readonly #startedAt: number;
  /** The latest time that the wall clock showed before it was set. */
  #latestWall = 0;
  /** When the last one was taken. */
  #snapshot: { readonly at: number; readonly wallAt: number } | undefined;
  /** When the nodes trust the clock again: until then steps wait whose deadline seems to have passed. */
  trustedAt = 0;

  constructor(
    seed: number,
    parts: {
      readonly process: ProcessParts;
      readonly database: StoreInMemory;
      readonly print: ((line: string) => void) | undefined;
    },
  ) {
    const root = new SeededRandom(`seed ${seed}`);
    this.#root = root;
    this.process = parts.process;
    this.trace = new Trace(() => this.clock.monotonic(), parts.print);
    this.ledger = new Ledger({
      trace: this.trace,
      now: () => this.clock.monotonic(),
      onSubmit: (...submit) => this.#checkSubmit(...submit),
    });
    this.profile = profileOf(root.fork('profile'));
    const shared = { clock: this.clock, ledger: this.ledger, trace: this.trace };
    for (const name of CARRIERS) {
      const random = root.fork(`peer ${name}`);
      this.peers.set(name, new SimulatedPeer(name, mannersOf(random), { ...shared, random }));
    }
    this.receivers = new Receivers(this.profile.receivers, { ...shared, random: root.fork('receivers') });
    this.calls = new Calls(shared);
    const calling = { ...shared, calls: this.calls, store: () => this.store };
    const hasRegulars = this.profile.actions.optOut > 0;
    this.clients = new Clients({ ...calling, nodes: () => this.nodes, hasRegulars });
    this.people = new People({ ...calling, recipients: this.clients.recipients });
    this.#startedAt = this.clock.now() - this.clock.monotonic();
    this.#database = parts.database;
    this.#store = this.#open();
    if (!this.profile.hasOwnClocks) return;
    const machines = root.fork('machines');
    for (let slot = 0; slot < this.profile.nodes; slot++) this.#wallOffsets.push(wallOffsetOf(machines));
    this.trace.note('machines', `are ahead by ${this.#wallOffsets.join()}`);
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
    const { reportRecords, reservationLimit } = this.profile;
    for (const id of ACCOUNTS) {
      const hook = id === HOOK ? { reportMode: 'webhook' as const } : {};
      const settings = {
        ...DEFAULT_ACCOUNT_SETTINGS,
        reportRecords,
        reservationLimit,
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
    const number = { kind: 'inboundNumber', number: INBOUND_NUMBER, keyword: '*' } as const;
    await this.#store.registry.put(POLLER, [number]);
    for (let slot = 0; slot < this.profile.nodes; slot++) {
      const seat = this.#seat(slot);
      if (this.profile.hasOwnClocks) await this.#askTime(seat);
      const node = this.#createNode(slot, 1, seat);
      this.#slots.push({ node, incarnation: 1, restartAt: undefined });
      node.start();
    }
    await this.activity.quiet();
  }

  /**
   * Each step draws from a stream of its own, so that it stays the same when others are left out. Of a step that is left out the
   * time passes, up to the last one.
   */
  async live(steps: readonly number[]): Promise<void> {
    const { actions, longestPauseMs } = this.profile;
    const taken = new Set(steps);
    for (let step = 0; step <= (steps.at(-1) ?? -1); step++) {
      const random = this.#root.fork(`step ${step}`);
      const action = random.weighted(actions);
      const pauseMs = 10 * random.between(0, longestPauseMs / 10);
      if (taken.has(step)) {
        this.trace.note(`step ${step}`, action);
        this.#act(action, random);
      }
      await this.pass(pauseMs);
    }
  }

  #act(action: Action, random: SeededRandom): void {
    const serving = this.nodes.filter(node => node.isServing);
    if (serving.length === 0) return;
    const node = random.pick(serving);
    const poller = random.pick([POLLER, TURNER]);
    switch (action) {
      case 'send':
        void this.clients.send(node, random.pick(ACCOUNTS), random.fork('client'));
        break;
      case 'reserve':
        void this.clients.reserve(node, random.pick(ACCOUNTS), random.fork('client'));
        break;
      case 'cancel':
        void this.clients.cancel(node, random);
        break;
      case 'cancelReservation':
        void this.clients.cancelReservation(node, random);
        break;
      case 'optOut':
        void this.people.optOut(node, random.pick(ACCOUNTS), random);
        break;
      case 'say':
        this.people.say(this.#peer(random.pick(CARRIERS)), random);
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
          if (this.#isCalm) return;
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
        node.freeze(random.between(500, LONGEST_FREEZE_MS));
        break;
      case 'reload':
        node.reload(
          this.#planFor(
            this.#slots.findIndex(slot => slot.node === node),
            random,
          ),
        );
        break;
      case 'jump':
        this.#jump(random);
        break;
      case 'switchMode':
        void this.#store.accounts.update(TURNER, account => {
          const reportMode = account.settings.reportMode === 'webhook' ? 'polling' : 'webhook';
          this.trace.note(TURNER, `is in ${reportMode} mode`);
          return { ...account, settings: { ...account.settings, reportMode } };
        });
        break;
      case 'snapshot':
        this.#takeSnapshot();
        break;
      case 'restore':
        void this.#restore();
        break;
      case 'damage':
        this.#damage(random);
        break;
      case 'mend':
        this.#database.mend();
        break;
      case 'changeKey':
        void this.#changeKey();
        break;
      case 'reseal':
        void this.#reseal();
        break;
      case 'pauseCarrier': {
        const carrier = random.pick(CARRIERS);
        this.trace.note(carrier, 'is paused');
        void this.#store.carriers.pause(carrier, this.clock.now());
        this.clock.schedule(random.between(500, 10_000), () => void this.#store.carriers.resume(carrier));
      }
    }
  }

  #open(): Store {
    return this.#database.open({
      clock: this.clock,
      hasTime: this.profile.hasOwnClocks,
      vault: this.profile.isSealed ? this.#dataKeys.vault() : undefined,
      onUnreadable: ({ table, key, reason }) => {
        this.trace.note('store', `cannot read ${table} ${key}`);
        if (!this.#damaged.has(key))
          this.ledger.violated('a row cannot be read', `${table} ${key}: ${reason}`);
      },
    });
  }

  /** Somebody restarts all nodes with other keys. */
  async #changeKey(): Promise<void> {
    this.trace.note('store', 'the data key changes');
    for (const node of this.nodes) node.kill();
    this.#dataKeys.change();
    await this.#store.close();
    this.#store = this.#open();
  }

  /** What is damaged would be left under the last key: somebody has looked after it first. */
  async #reseal(): Promise<void> {
    this.#database.mend();
    if (await this.#dataKeys.reseal(this.#store))
      this.ledger.violated('a value is left under the last key', '');
  }

  #damage(random: SeededRandom): void {
    const msgKeys = [...this.ledger.messages.keys()].slice(-LATEST_MESSAGES);
    if (msgKeys.length === 0) return;
    const msgKey = random.pick(msgKeys);
    this.trace.note('store', `${msgKey} is damaged`);
    for (const name of [msgKey, requestIdOf(msgKey)]) this.#damaged.add(name);
    for (const other of this.ledger.messages.keys())
      if (requestIdOf(other) === requestIdOf(msgKey)) this.#damaged.add(other);
    this.#database.damage(msgKey);
  }

  #takeSnapshot(): void {
    this.trace.note('store', 'a snapshot is taken');
    this.#database.takeSnapshot();
    this.clients.batches.keep();
    this.#snapshot = { at: this.clock.monotonic(), wallAt: this.clock.now() };
  }

  /** Everything is lost but the last snapshot. */
  async #restore(): Promise<void> {
    if (!this.#snapshot) return;
    const { at, wallAt } = this.#snapshot;
    this.trace.note('store', `is put back to ${at}`);
    for (const node of this.nodes) node.kill();
    await this.#store.close();
    this.#database.restoreSnapshot();
    this.#database.mend();
    this.#store = this.#open();
    const store = this.#store;
    const stored = new Set<MsgKey>();
    const live = new Map((await store.queue.peek(MOST_LIVE)).map(({ msgKey, step }) => [msgKey, step]));
    for (const { msgKey, account } of this.ledger.messages.values()) {
      const isReserved = (await store.reservations.ofMessage(msgKey, account)) !== undefined;
      if (isReserved) live.set(msgKey, 0);
      if (isReserved || (await store.messages.find(msgKey))) stored.add(msgKey);
    }
    this.ledger.restored(at, stored, live);
    this.clients.restored(at);
    this.people.restored(at);
    await store.upkeep.holdBack({ since: wallAt, now: this.clock.now() });
  }

  /** What an operator does after a restore: releases what was not sent meanwhile. */
  async #decideAboutHeld(): Promise<void> {
    const { reservations } = this.#store;
    const query = { account: undefined, sendFrom: undefined, before: undefined, limit: MOST_LIVE };
    for (const { resvKey } of await reservations.list({ ...query, status: 'HELD' })) {
      const name = { resvKey, account: undefined };
      const recipients = await reservations.recipients(name, { after: undefined, limit: MOST_LIVE });
      const msgKeys = recipients.map(({ msgKey }) => msgKey);
      const wasSent = msgKeys.some(msgKey => this.ledger.messages.get(msgKey)?.submits.length);
      if (wasSent) this.ledger.cancels(msgKeys);
      const { from, to } = RESERVATION_MOVES[wasSent ? 'cancel' : 'release'];
      await reservations.move(name, from, to, this.clock.now());
    }
  }

  /** The time is set at all machines, or at one of them. */
  #jump(random: SeededRandom): void {
    if (this.profile.hasOwnClocks && random.chance(0.5)) {
      const slot = random.below(this.#wallOffsets.length);
      this.#wallOffsets[slot] = wallOffsetOf(random);
      this.trace.note('machines', `are ahead by ${this.#wallOffsets.join()}`);
      return;
    }
    const ms = random.between(-3_600_000, 3_600_000);
    // A node that is frozen goes by the time from before the jump until it thaws and asks the database.
    const stillBelieved = this.clock.now() + (this.profile.hasOwnClocks ? LONGEST_FREEZE_MS : 0);
    this.#latestWall = Math.max(this.#latestWall, stillBelieved);
    this.trace.note('clock', `jumps by ${ms}`);
    this.trustedAt = this.clock.monotonic() + DOUBT_MS;
    this.clock.setWallBy(ms);
    // The machines' own stay.
    for (const [slot, offset] of this.#wallOffsets.entries()) this.#wallOffsets[slot] = offset - ms;
  }

  /** Ends all trouble; every node that is down comes back. */
  async calm(): Promise<void> {
    this.trace.note('world', 'all trouble ends');
    this.#isCalm = true;
    for (const peer of this.peers.values()) peer.calm();
    this.receivers.calm();
    if (this.profile.hasOwnClocks) {
      this.#wallOffsets.fill(0);
      this.trustedAt = Math.max(this.trustedAt, this.clock.monotonic() + AGREEMENT_MS);
    }
    for (const node of this.nodes) {
      node.weather = CALM;
      node.life.thaw();
      for (const link of node.links) link.restore();
    }
    for (const carrier of CARRIERS) await this.#store.carriers.resume(carrier);
    if (this.#damaged.size > 0) {
      // Whoever mends rows starts the nodes again: then they are looked at once more.
      this.#database.mend();
      for (const node of this.nodes) node.kill();
    }
    await this.switchWebhooksOn();
    await this.#decideAboutHeld();
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
    for (const node of this.nodes) node.noticeOptOutLists();
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
      slot.restartAt ??= now + this.#root.fork(`restart of ${slot.node.name}`).between(100, 8000);
      if (slot.restartAt > now) continue;
      if (this.nodes.every(node => node.isGone)) {
        // The process of an embedded store holds it open; without one, it is opened anew.
        await this.#store.close();
        this.#store = this.#open();
      }
      const seat = this.#seat(index);
      if (this.profile.hasOwnClocks) await this.#askTime(seat);
      slot.incarnation++;
      slot.restartAt = undefined;
      slot.node = this.#createNode(index, slot.incarnation, seat);
      slot.node.start();
      await this.activity.quiet();
    }
  }

  #planFor(slot: number, random: SeededRandom) {
    const isFull = slot === 0 || this.profile.isUniform;
    return isFull ? FULL : random.pick(PLANS);
  }

  #seat(slot: number): Seat {
    const life = new Life();
    return {
      life,
      clock: new ClusterClock(clockOf(this.clock, life, () => this.#wallOffsets[slot] ?? 0)),
    };
  }

  /** As when a store is opened. */
  async #askTime({ clock }: Seat): Promise<void> {
    await clock.synchronize(() => this.store.nodes.time());
  }

  #createNode(slot: number, incarnation: number, seat: Seat): RunningNode {
    const name = `node-${slot}-${incarnation}`;
    const random = this.#root.fork(name);
    return new RunningNode(name, this.#planFor(slot, random), random, this, seat);
  }

  #checkSubmit(truth: MessageTruth, step: number, { attemptId, node: name }: SubmitOrder): void {
    const { account, to, sendAt, askedAt } = truth;
    const latest = Math.max(this.#latestWall, this.clock.now());
    if (sendAt !== undefined && latest < sendAt - (this.profile.hasOwnClocks ? SKEW_MS : 0))
      this.ledger.violated('submitted before its time', attemptId);
    const node = this.nodes.find(node => node.name === name);
    if (node?.knewOptOuts(account, askedAt) && this.clients.recipients.hasOptedOut(account, to, askedAt))
      this.ledger.violated('submitted to one who opted out', `${attemptId} step ${step}`);
  }

  #peer(name: string): SimulatedPeer {
    const peer = this.peers.get(name);
    if (!peer) throw new Error(`there is no carrier ${name}`);
    return peer;
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
