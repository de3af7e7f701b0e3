/**
 * The clients of a simulation: they send, now or later, send again under the same key when they are not answered, cancel, poll,
 * and delete what they have polled.
 */

import { type Answered, type IdempotencyKey, Replayed } from '../../src/accept/idempotency.ts';
import type { Account } from '../../src/domain/account/account.ts';
import type { Flow } from '../../src/domain/delivery/flow.ts';
import type { AccountId, MsgKey, ResvKey } from '../../src/domain/ids.ts';
import type { OmniRequest } from '../../src/domain/request/omni.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { type ManualClock, sleep } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { type Calls, outcomeOf } from './calls.ts';
import { FLOWS } from './flows.ts';
import type { Ledger } from './ledger.ts';
import { PolledBatches } from './polled-batches.ts';
import { Recipients } from './recipients.ts';
import type { RunningNode } from './running-node.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';
import { UsedKeys } from './used-keys.ts';

/** A client with a key tries again after a while, some times. */
const REPEAT_MS = 1000;
const TRIES = 4;
const LATEST_SEND_MS = 30_000;
/** Those that are cancelled are among so many of the latest. */
const LATEST_MESSAGES = 100;

/** What a client wants to be sent. */
interface Order {
  readonly accountId: AccountId;
  readonly entries: (typeof FLOWS)[number]['entries'];
  readonly flow: Flow;
  readonly numbers: readonly string[];
  /** Of a reservation: when it is to be sent. */
  readonly sendAt: number | undefined;
}

export class Clients {
  readonly batches: PolledBatches;
  readonly keys: UsedKeys;
  readonly recipients = new Recipients();
  readonly #calls: Calls;
  /** Reservations that were answered, with the keys of their messages. */
  readonly #reserved: {
    readonly accountId: AccountId;
    readonly resvKey: ResvKey;
    readonly msgKeys: readonly MsgKey[];
  }[] = [];
  readonly #store: () => Store;
  readonly #nodes: () => readonly RunningNode[];
  readonly #clock: ManualClock;
  readonly #ledger: Ledger;
  readonly #trace: Trace;
  /** Some recipients are sent to again. */
  readonly #hasRegulars: boolean;
  #keys = 0;

  constructor(parts: {
    readonly store: () => Store;
    readonly nodes: () => readonly RunningNode[];
    readonly clock: ManualClock;
    readonly ledger: Ledger;
    readonly trace: Trace;
    readonly calls: Calls;
    readonly hasRegulars: boolean;
  }) {
    this.#store = parts.store;
    this.#nodes = parts.nodes;
    this.#clock = parts.clock;
    this.#ledger = parts.ledger;
    this.#trace = parts.trace;
    this.#calls = parts.calls;
    this.#hasRegulars = parts.hasRegulars;
    this.batches = new PolledBatches(parts.ledger);
    this.keys = new UsedKeys(parts.ledger, () => parts.clock.monotonic());
  }

  /** Sends to one recipient, or to some; under a key, sometimes with a second body as well. */
  async send(node: RunningNode, account: AccountId, random: SeededRandom): Promise<void> {
    await this.#give(node, this.#order(account, random, undefined), random);
  }

  /** The same, to be sent later. */
  async reserve(node: RunningNode, account: AccountId, random: SeededRandom): Promise<void> {
    const sendAt = this.#clock.now() + random.between(0, LATEST_SEND_MS);
    await this.#give(node, this.#order(account, random, sendAt), random);
  }

  async #give(node: RunningNode, order: Order, random: SeededRandom): Promise<void> {
    if (!random.chance(0.3)) {
      await this.#sendOnce(node, order, undefined);
      return;
    }
    const key = `key-${++this.#keys}`;
    const repeating = this.#sendUnderKey(node, order, key, random.fork('first'));
    if (random.chance(0.2)) {
      const second = this.#order(order.accountId, random, order.sendAt);
      await sleep(this.#clock, random.between(0, 3 * REPEAT_MS));
      const other = this.#anyNode(random);
      if (other) await this.#sendUnderKey(other, second, key, random.fork('second'));
    }
    await repeating;
  }

  /** Sends the same again while the answer is unknown; some answers are lost on the way, some are not waited for. */
  async #sendUnderKey(node: RunningNode, order: Order, key: string, random: SeededRandom): Promise<void> {
    let next: RunningNode | undefined = node;
    for (let tries = 1; next && tries <= TRIES; tries++) {
      const call = this.#sendOnce(next, order, key);
      const isAnswered = random.chance(0.2) ? false : await call;
      if (isAnswered && !random.chance(0.2)) return;
      await sleep(this.#clock, REPEAT_MS);
      next = this.#anyNode(random);
    }
  }

  #anyNode(random: SeededRandom): RunningNode | undefined {
    const nodes = this.#nodes().filter(({ isServing }) => isServing);
    return nodes.length > 0 ? random.pick(nodes) : undefined;
  }

  #order(accountId: AccountId, random: SeededRandom, sendAt: number | undefined): Order {
    const { entries, flow } = random.pick(FLOWS);
    const recipients = random.chance(0.2) ? random.between(2, 4) : 1;
    const numbers = Array.from({ length: recipients }, () => this.recipients.stranger());
    if (this.#hasRegulars && random.chance(0.4)) numbers[0] = this.recipients.regular(random);
    return { accountId, entries, flow, numbers, sendAt };
  }

  /** False where the client does not know whether it was done. */
  async #sendOnce(node: RunningNode, order: Order, key: string | undefined): Promise<boolean> {
    const { accountId, numbers } = order;
    const account = await this.#store().accounts.find(accountId);
    if (!account) return true;
    const body = numbers.join();
    const call = key === undefined ? undefined : this.keys.begins(accountId, key, body);
    const asked: MsgKey[] = [];
    const ask = (msgKeys: readonly (MsgKey | null)[]): string => {
      for (const [index, msgKey] of msgKeys.entries()) {
        const to = numbers[index];
        if (msgKey === null || to === undefined) continue;
        this.#ledger.asked(msgKey, { ...order, to, askedAt: this.#clock.monotonic() });
        asked.push(msgKey);
        call?.asked.push(msgKey);
      }
      return asked.join();
    };
    const idempotency = key === undefined ? undefined : { key, bodyHash: body };
    const answered = await this.#calls.make(order.sendAt === undefined ? 'send' : 'reserve', node, () =>
      order.sendAt === undefined
        ? sendNow(node, account, order, ask, idempotency)
        : sendLater(node, account, order, ask, idempotency),
    );
    const answer = answered instanceof Replayed ? answered.body : answered;
    const { resvKey, msgKeys } = readAnswer(answer);
    const outcome = outcomeOf(answer);
    for (const msgKey of asked) {
      const isNamed = msgKeys.includes(msgKey);
      this.#ledger.told(msgKey, outcome === 'done' ? (isNamed ? 'accepted' : 'refused') : outcome);
    }
    // A repetition is answered with the keys of the first.
    for (const msgKey of msgKeys) this.#ledger.told(msgKey, 'accepted');
    if (resvKey !== undefined) {
      this.#reserved.push({ accountId, resvKey, msgKeys });
      await this.#checkQuota(account);
    }
    // Where every recipient was refused nothing is stored, and another time another answer.
    if (call && msgKeys.length > 0) this.keys.accepted(call, String(answer));
    if (call && answer instanceof Problem) this.keys.refused(call, answer);
    return outcome !== 'doubt';
  }

  async #checkQuota({ id, settings: { reservationLimit } }: Account): Promise<void> {
    const query = { account: id, status: undefined, sendFrom: undefined, before: undefined, limit: 1000 };
    const open = (await this.#store().reservations.list(query)).filter(
      ({ endedAt }) => endedAt === undefined,
    );
    if (open.length > reservationLimit)
      this.#ledger.violated('more reservations than the account may have', `${id}: ${open.length}`);
  }

  /** The store is again as it was at this moment. */
  restored(at: number): void {
    this.batches.restored();
    this.keys.restored(at);
    this.recipients.restored(at);
  }

  /** Cancels one of the messages, as the API does: one of a reservation is taken out of it. */
  async cancel(node: RunningNode, random: SeededRandom): Promise<void> {
    const latest = [...this.#ledger.messages.values()].slice(-LATEST_MESSAGES);
    // Rather those whose answer a node waits for, or does not know.
    const doubtful = latest.filter(({ submits }) => submits.some(({ told }) => !told || told === 'unknown'));
    const candidates = doubtful.length > 0 && random.chance(0.5) ? doubtful : latest;
    if (candidates.length === 0) return;
    const truth = random.pick(candidates);
    const { msgKey, account } = truth;
    this.#ledger.cancels([msgKey]);
    const answer = await this.#calls.make('cancel', node, async () => {
      const reserved = await node.parts.reservations.cancelMessage(account, msgKey);
      return reserved ?? node.parts.cancelling.message(msgKey, account);
    });
    const isDone =
      answer === 'cancelled' || (typeof answer === 'object' && 'state' in answer && answer.code === 'A000');
    this.#trace.note(account, `cancels ${msgKey}: ${isDone ? 'done' : outcomeOf(answer)}`);
    if (isDone) this.#ledger.cancelled([msgKey]);
  }

  async cancelReservation(node: RunningNode, random: SeededRandom): Promise<void> {
    const latest = this.#reserved.slice(-LATEST_MESSAGES);
    if (latest.length === 0) return;
    const { accountId, resvKey, msgKeys } = random.pick(latest);
    this.#ledger.cancels(msgKeys);
    const answer = await this.#calls.make('cancel reservation', node, () =>
      node.parts.reservations.move(accountId, resvKey, 'cancel'),
    );
    const outcome = outcomeOf(answer);
    this.#trace.note(accountId, `cancels reservation ${resvKey}: ${outcome}`);
    if (outcome !== 'done') return;
    // Those that had gone into the queue before are sent.
    const found = await Promise.all(msgKeys.map(msgKey => this.#store().messages.find(msgKey)));
    this.#ledger.cancelled(msgKeys.filter((_, index) => found[index] === undefined));
  }

  async poll(node: RunningNode, accountId: AccountId): Promise<void> {
    const account = await this.#store().accounts.find(accountId);
    if (!account) return;
    const asking = this.batches.asks(accountId);
    const answer = await this.#calls.make('poll', node, () => node.parts.reports.poll(account));
    if (answer instanceof Error || answer instanceof Problem) return;
    this.#trace.note(accountId, `polls ${answer.reportId} with ${answer.report?.length ?? 0} records`);
    this.batches.answered(accountId, asking, answer.reportId, answer.report ?? []);
  }

  /** Deletes the batch it holds; true if there was one. */
  async acknowledge(node: RunningNode, accountId: AccountId): Promise<boolean> {
    const account = await this.#store().accounts.find(accountId);
    const reportId = this.batches.heldBy(accountId);
    if (!account || reportId === undefined) return false;
    this.batches.deletes(accountId, reportId);
    const answer = await this.#calls.make('delete', node, () =>
      node.parts.reports.acknowledge(account, reportId),
    );
    const told =
      outcomeOf(answer) === 'doubt' || answer instanceof Error ? 'doubt' : (answer?.code ?? 'deleted');
    this.#trace.note(accountId, `deletes ${reportId}: ${told}`);
    this.batches.deleted(accountId, reportId, told);
    return true;
  }
}

type Ask = (msgKeys: readonly (MsgKey | null)[]) => string;

function sendNow(
  node: RunningNode,
  account: Account,
  { flow, entries, numbers }: Order,
  ask: Ask,
  idempotency: IdempotencyKey | undefined,
): Promise<Answered> {
  const { send } = node.parts;
  const [to = ''] = numbers;
  return numbers.length === 1
    ? send.sendSingle(account, { flow, to, ref: undefined }, msgKey => ask([msgKey]), idempotency)
    : send.sendOmni(
        account,
        omniOf(entries, numbers),
        results => ask(results.map(({ msgKey }) => msgKey)),
        idempotency,
      );
}

/** The answer names the reservation before its messages. */
function sendLater(
  node: RunningNode,
  account: Account,
  { flow, entries, numbers, sendAt = 0 }: Order,
  ask: Ask,
  idempotency: IdempotencyKey | undefined,
): Promise<Answered> {
  const { reservations } = node.parts;
  const [to = ''] = numbers;
  const later = { sendTime: new Date(sendAt).toISOString(), name: undefined };
  return numbers.length === 1
    ? reservations.reserveSingle(
        account,
        { flow, to, ref: undefined },
        later,
        (msgKey, resvKey) => `${resvKey} ${ask([msgKey])}`,
        idempotency,
      )
    : reservations.reserveOmni(
        account,
        omniOf(entries, numbers),
        later,
        (results, resvKey) => `${resvKey ?? ''} ${ask(results.map(({ msgKey }) => msgKey))}`,
        idempotency,
      );
}

function omniOf(entries: Order['entries'], numbers: readonly string[]): OmniRequest {
  return {
    ref: undefined,
    groupKey: undefined,
    paymentCode: undefined,
    destinations: numbers.map(to => ({ given: to, to, words: {} })),
    source: { entries },
  };
}

/** As it was rendered; without keys where every recipient was refused. */
function readAnswer(answer: unknown): { readonly resvKey: ResvKey | undefined; readonly msgKeys: MsgKey[] } {
  if (typeof answer !== 'string') return { resvKey: undefined, msgKeys: [] };
  const [keys = '', resvKey] = answer.split(' ').reverse();
  return {
    resvKey: resvKey === undefined || resvKey === '' ? undefined : (resvKey as ResvKey),
    msgKeys: keys === '' ? [] : (keys.split(',') as MsgKey[]),
  };
}
