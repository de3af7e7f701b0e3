/** One seed: calls of two nodes at one PostgreSQL, whose statements run in the order that the seed draws. */
import type { LiveStep, StepEvent } from '../../src/domain/delivery/settlement.ts';
import type { ReportId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { calendarOf } from '../../src/platform/zoned-time.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { firstStepOf, type QueueEvent, type Store } from '../../src/store/store.ts';
import { hashOf, SeededRandom } from '../simulation/seeded-random.ts';
import {
  ACME,
  DEADLINE_MS,
  FIRST_CARRIER,
  ONE_STEP,
  PROFILE,
  repeatable,
  StoreUnderTest,
  TWO_STEPS,
} from '../store/contract/store-under-test.ts';
import { Ledger, REPEATABLE, type Taken } from './rules.ts';
import { type Change, StatementGate } from './statement-gate.ts';

const CALLS = 60;
/** A pool keeps that many connections; they are opened before, so that none is opened meanwhile. */
const AT_ONCE = 4;
const CARRIERS = [FIRST_CARRIER, REPEATABLE, 'gamma'];
const PROMISES = repeatable(REPEATABLE);
const TIMEOUT_MS = 600_000;
const LEASE_MS = 3_600_000;
/** Longer than any pause before something is tried again, shorter than every limit. */
const PAUSE_MS = 1_000;
const ROUNDS = 12;
const PATIENT_ROUNDS = 4;
const calendar = calendarOf('UTC');

interface Node {
  readonly name: string;
  readonly store: Store;
  /** Another one after each death. */
  id: string;
  isUp: boolean;
  calls: number;
}

export interface Course {
  readonly ledger: Ledger;
  readonly statements: number;
  /** Of the order of statements. */
  readonly hash: number;
}

export class World {
  readonly #random: SeededRandom;
  readonly #gate: StatementGate;
  readonly #clock: ManualClock;
  readonly #ledger = new Ledger();
  readonly #nodes: readonly [Node, Node];
  readonly #trace: (line: string) => void;
  readonly #isCounted: boolean;
  /** Answers of carriers that nodes got before they were taken for dead. */
  readonly #lateAnswers: QueueEvent[] = [];
  readonly #bench: StoreUnderTest;
  #names = 0;
  #statements = 0;
  #hash = 0;

  static async run(
    url: string,
    seed: number,
    change: Change,
    trace: (line: string) => void,
  ): Promise<Course> {
    const gate = await StatementGate.before(url, change);
    const clock = new ManualClock();
    const one = await openNode('one', gate, clock);
    const two = await openNode('two', gate, clock);
    try {
      return await new World(gate, clock, [one, two], seed, trace).#run();
    } finally {
      gate.open();
      for (const { store } of [one, two]) await store.close();
      await gate.close();
    }
  }

  private constructor(
    gate: StatementGate,
    clock: ManualClock,
    nodes: readonly [Node, Node],
    seed: number,
    trace: (line: string) => void,
  ) {
    this.#gate = gate;
    this.#clock = clock;
    this.#nodes = nodes;
    this.#bench = new StoreUnderTest(nodes[0].store, clock, async () => nodes[0].store);
    this.#random = new SeededRandom(`interleave ${seed}`);
    this.#isCounted = this.#random.chance(0.5);
    this.#trace = trace;
  }

  async #run(): Promise<Course> {
    this.#gate.shut();
    for (let begun = 0; ; ) {
      await this.#gate.quiet();
      const { held } = this.#gate;
      const free = this.#nodes.filter(({ isUp, calls }) => isUp && calls < AT_ONCE);
      const mayBegin = begun < CALLS && free.length > 0;
      const pauseMs = this.#clock.msUntilNext() ?? Number.POSITIVE_INFINITY;
      if (mayBegin && (held.length === 0 || this.#random.chance(0.3))) {
        begun++;
        void this.#begin(this.#random.pick(free));
      } else if (pauseMs < PAUSE_MS && (held.length === 0 || this.#random.chance(0.1))) {
        this.#clock.advance(pauseMs);
      } else if (held.length > 0) {
        const { node, text, pass } = this.#random.pick(held);
        this.#note(`${node}: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 200)}`);
        this.#statements++;
        pass();
      } else if (this.#nodes.every(({ calls }) => calls === 0)) break;
    }
    this.#gate.open();
    try {
      await this.#comeToRest();
    } catch (error) {
      this.#ledger.break('works', `at rest: ${error}`);
    }
    return { ledger: this.#ledger, statements: this.#statements, hash: this.#hash };
  }

  #note(line: string): void {
    this.#hash = hashOf(line, this.#hash);
    this.#trace(line);
  }

  async #begin(node: Node): Promise<void> {
    const name = this.#random.weighted({
      ...{ accept: 5, claim: 6, submit: 7, receipt: 5, matched: 2, late: 2, takeOver: 4, die: 3 },
      ...{ release: 1, cancel: 2, deadline: 1, poll: 2, pass: 1 },
      // The sums are counted when nobody takes anything back any more.
      ...(this.#isCounted ? { count: 5, withdraw: 0 } : { count: 0, withdraw: 1 }),
    });
    this.#note(`${node.id}: ${name}`);
    node.calls++;
    try {
      await this[name](node);
    } catch (error) {
      this.#ledger.break('works', `${name}: ${error}`);
    } finally {
      node.calls--;
    }
  }

  async accept(node: Node): Promise<void> {
    const random = this.#random;
    const requestId = this.#bench.requestIdAt(this.#clock.now());
    const key = `key-${random.below(4)}`;
    const idempotency = { key, bodyHash: `body-${random.below(3) > 1}`, response: requestId };
    const owner = node.id;
    const request = this.#bench.request({
      requestId,
      recipients: ['01012345678', '01087654321'].slice(random.below(2)),
      carrier: random.pick(CARRIERS),
      flow: random.chance(0.3) ? TWO_STEPS : ONE_STEP,
      claim: random.chance(0.3) ? { owner, claim: this.#newName(owner) } : undefined,
      idempotency: random.chance(0.6) ? idempotency : undefined,
    });
    const result = await node.store.messages.accept(request);
    this.#ledger.answered.push({ request, result });
    if (request.claim && result.kind === 'stored')
      this.#claimed(
        node,
        owner,
        request.messages.map(message => firstStepOf(request, message)),
      );
  }

  async claim(node: Node, carrier = this.#random.pick(CARRIERS), limit = this.#random.between(1, 4)) {
    const owner = node.id;
    const order = { owner, claim: this.#newName(owner), carrier, shares: [{ account: ACME, limit }] };
    this.#claimed(node, owner, await node.store.queue.claim({ ...order, now: this.#clock.now() }));
  }

  /** A node that has died meanwhile hears of nothing. */
  #claimed(node: Node, owner: string, steps: readonly LiveStep[]): void {
    if (node.id === owner) this.#ledger.claimed(owner, steps);
  }

  async submit(node: Node, isCalm = false): Promise<void> {
    const steps = this.#ledger.held(node.id).slice(0, isCalm ? undefined : this.#random.between(1, 3));
    const answers = steps.map(live => {
      this.#ledger.letGo(live);
      return this.#answerTo(live, isCalm);
    });
    await this.#settle(node, answers);
  }

  /** What the carrier says to a submit. */
  #answerTo(live: LiveStep, isCalm: boolean): QueueEvent {
    const isTakenAlready = this.#ledger.has(live) && live.carrier === REPEATABLE;
    const refusals = isCalm || isTakenAlready ? 0 : 1;
    const verdict = this.#random.weighted({
      ...{ taken: 6, lost: isCalm ? 0 : 2, silent: isCalm ? 0 : 1 },
      ...{ refused: refusals, deferred: refusals, returned: refusals, rerouted: refusals },
    });
    const say = (event: StepEvent, refs?: readonly string[]) => said(live, event, refs);
    const take = () => this.#ledger.take(live, this.#random.chance(0.7));
    switch (verdict) {
      case 'taken':
        return say({ name: 'accepted' }, [known(take())]);
      case 'lost':
        take();
        return say({ name: 'lost' });
      case 'silent':
        if (live.carrier !== REPEATABLE) return say({ name: 'lost' });
        return say({ name: 'repeated', until: this.#clock.now() + LEASE_MS, retryAfterMs: 0 });
      case 'refused':
        return say({ name: 'refused', reportCode: '23001' });
      case 'deferred':
        return say({ name: 'deferred', reportCode: '22003', retryAfterMs: 500 });
      case 'returned':
        return say({ name: 'returned', retryAfterMs: 0 });
      case 'rerouted':
        return say({ name: 'rerouted', carrier: this.#random.pick(CARRIERS), why: 'routes[0]' });
    }
  }

  async receipt(node: Node, all = false): Promise<void> {
    const pending = [...this.#ledger.taken.values()].filter(
      ({ isTold }) => !isTold || (!all && this.#random.chance(0.2)),
    );
    const chosen = all || pending.length === 0 ? pending : [this.#random.pick(pending)];
    await this.#settle(
      node,
      chosen.map(taken => this.#receiptFor(taken)),
    );
    for (const taken of chosen) taken.isTold = true;
  }

  #receiptFor({ step, ref, isDelivered, isRefKnown }: Taken): QueueEvent {
    const { msgKey, attempt, carrier, to } = step;
    const isByRef = isRefKnown && this.#random.chance(0.7);
    const about = { msgKey, step: step.step, attempt };
    const event = isDelivered
      ? ({ name: 'receivedDelivered' } as const)
      : ({ name: 'receivedFailed', reportCode: '23001' } as const);
    return this.#bench.receipt(isByRef ? ref : '', event, { carrier, to, ...(!isByRef && { about }) });
  }

  async matched(node: Node): Promise<void> {
    await this.#settle(node, await node.store.queue.matchedParked(this.#clock.now(), 10));
  }

  async late(node: Node): Promise<void> {
    await this.#settle(node, this.#lateAnswers.splice(0, this.#random.between(1, 3)));
  }

  async takeOver(node: Node): Promise<void> {
    await node.store.nodes.takeOver({ self: node.id, now: this.#clock.now(), promises: PROMISES });
  }

  /** It has submitted some of what it held, and may learn of the answers later. */
  async die(node: Node): Promise<void> {
    node.isUp = false;
    const dead = node.id;
    for (const live of this.#ledger.held(dead)) {
      this.#ledger.letGo(live);
      const end = this.#random.weighted({ unsent: 2, answered: 2, lost: 1, forgotten: 1 });
      const say = (event: StepEvent, refs?: readonly string[]) =>
        this.#lateAnswers.push(said(live, event, refs));
      if (end === 'unsent') say({ name: 'returned', retryAfterMs: 0 });
      if (end === 'answered')
        say({ name: 'accepted' }, [known(this.#ledger.take(live, this.#random.chance(0.7)))]);
      if (end === 'lost') this.#ledger.take(live, this.#random.chance(0.7));
    }
    node.id = this.#newName(node.name);
    await node.store.nodes.leave(dead);
    await node.store.nodes.heartbeat(node.id, LEASE_MS, PROFILE);
    node.isUp = true;
  }

  async release(node: Node): Promise<void> {
    await node.store.queue.release({ now: this.#clock.now(), putOffAfter: undefined, limit: 100 });
  }

  async cancel(node: Node): Promise<void> {
    const { messages } = this.#ledger;
    if (messages.length === 0) return;
    const msgKey = this.#random.pick(messages);
    await this.#settle(node, [{ kind: 'step', msgKey, step: 0, attempt: 0, event: { name: 'cancelled' } }]);
  }

  async withdraw(node: Node): Promise<void> {
    const without = this.#ledger.stored.filter(({ idempotency, claim }) => !idempotency && !claim);
    if (without.length === 0) return;
    const { requestId } = this.#random.pick(without);
    if (await node.store.messages.withdraw(requestId)) this.#ledger.withdrawn.add(requestId);
  }

  async deadline(node: Node, limit = 2): Promise<void> {
    const overdue = await node.store.queue.overdue(this.#clock.now() + 2 * DEADLINE_MS, limit);
    await this.#settle(
      node,
      overdue.map(step => ({ kind: 'step', ...step, event: { name: 'deadline' } })),
    );
  }

  async poll(node: Node): Promise<boolean> {
    const newId = () => this.#newName('batch') as ReportId;
    const now = this.#clock.now();
    const query = { account: ACME, lastOnly: false, newId, limit: 3, since: 0, now };
    const batch = await node.store.reports.poll(query);
    if (!batch) return false;
    this.#ledger.polled(batch);
    if (await node.store.reports.acknowledge(ACME, batch.reportId, now)) this.#ledger.fetched(batch);
    return true;
  }

  async count(node: Node): Promise<boolean> {
    const now = this.#clock.now();
    return node.store.rollups.count({ now, acceptedBefore: now + 1, limit: 3, calendar });
  }

  async pass(): Promise<void> {
    this.#clock.advance(PAUSE_MS);
  }

  async #settle(node: Node, events: readonly QueueEvent[]): Promise<void> {
    if (events.length > 0) await node.store.queue.settle(events, this.#bench.decide);
  }

  /** No statement is held any more, carriers take everything, and receipts come; later deadlines pass. */
  async #comeToRest(): Promise<void> {
    const [node] = this.#nodes;
    const jobs = async () => (await node.store.queue.peek(1)).length;
    for (let round = 0; round < ROUNDS && (round < PATIENT_ROUNDS || (await jobs()) > 0); round++) {
      this.#clock.advance(61_000);
      await this.takeOver(node);
      await this.#settle(node, this.#lateAnswers.splice(0));
      await this.release(node);
      for (const carrier of CARRIERS) await this.claim(node, carrier, 1000);
      for (const each of this.#nodes) await this.submit(each, true);
      await this.receipt(node, true);
      await this.matched(node);
      if (round >= PATIENT_ROUNDS) await this.deadline(node, 1000);
    }
    while (await this.poll(node));
    this.#clock.advance(LEASE_MS);
    while (await this.count(node));
    await this.#ledger.check(node.store, this.#clock.now());
  }

  #newName(kind: string): string {
    return `${kind}-${++this.#names}`;
  }
}

async function openNode(name: string, gate: StatementGate, clock: ManualClock): Promise<Node> {
  const url = await gate.urlFor(name);
  const store = await openPostgresStore({ url, now: () => clock.now(), clock, timeoutMs: TIMEOUT_MS });
  const node = { name, store, id: `${name}-0`, isUp: true, calls: 0 };
  await store.nodes.heartbeat(node.id, LEASE_MS, PROFILE);
  await Promise.all(Array.from({ length: AT_ONCE }, () => store.ping()));
  return node;
}

/** What the carrier said, under the claim that asked it. */
function said(live: LiveStep, event: StepEvent, refs?: readonly string[]): QueueEvent {
  const { msgKey, step, attempt, carrier, claim = '' } = live;
  return { kind: 'step', msgKey, step, attempt, carrier, claim, event, ...(refs && { refs }) };
}

/** Its reference, from now on. */
function known(taken: Taken): string {
  taken.isRefKnown = true;
  return taken.ref;
}
