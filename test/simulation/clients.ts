/**
 * The clients of a simulation: they send, send again under the same key when they are not answered, poll, and delete
 * what they have polled. What they know is all that counts as told.
 */

import { Replayed } from '../../src/accept/idempotency.ts';
import type { AccountId, MsgKey } from '../../src/domain/ids.ts';
import { parseMessageFlow } from '../../src/domain/request/message-flow.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { type ManualClock, sleep } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { alimtalk, mms, sms } from '../harness/flows.ts';
import type { Ledger } from './ledger.ts';
import { PolledBatches } from './polled-batches.ts';
import type { RunningNode } from './running-node.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';

const FLOWS = [
  [sms()],
  [sms()],
  [mms()],
  [alimtalk()],
  [alimtalk(), sms()],
  [alimtalk(), sms(), mms()],
  [sms(), mms()],
].map(entries => {
  const flow = parseMessageFlow(entries, 'final', 'messageFlow');
  if (flow instanceof Problem) throw new Error(flow.result);
  return { entries, flow };
});

/** The operations answer so when they could not find out whether something was done. */
const UNKNOWN = 'A920';

/** A client with a key tries again after a while, some times. */
const REPEAT_MS = 1000;
const TRIES = 4;

interface Operation {
  readonly what: string;
  readonly node: RunningNode;
  readonly since: number;
}

export class Clients {
  readonly batches: PolledBatches;
  /** Calls that have not been answered. */
  readonly underWay = new Set<Operation>();
  readonly #store: () => Store;
  readonly #clock: ManualClock;
  readonly #random: SeededRandom;
  readonly #ledger: Ledger;
  readonly #trace: Trace;
  #sent = 0;

  constructor(parts: {
    readonly store: () => Store;
    readonly clock: ManualClock;
    readonly random: SeededRandom;
    readonly ledger: Ledger;
    readonly trace: Trace;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#ledger = parts.ledger;
    this.#trace = parts.trace;
    this.batches = new PolledBatches(parts.ledger);
  }

  /** Sends to one recipient, or to some. */
  async send(node: RunningNode, account: AccountId): Promise<void> {
    const random = this.#random;
    const chosen = random.pick(FLOWS);
    const recipients = random.chance(0.2) ? random.between(2, 4) : 1;
    const numbers = Array.from({ length: recipients }, () => this.#number());
    const key = random.chance(0.3) ? `key-${this.#sent}` : undefined;
    await this.#sendOnce(node, account, chosen, numbers, key);
  }

  async #sendOnce(
    node: RunningNode,
    accountId: AccountId,
    { entries, flow }: (typeof FLOWS)[number],
    numbers: readonly string[],
    key: string | undefined,
    tries = TRIES,
  ): Promise<void> {
    const account = await this.#store().accounts.find(accountId);
    const [first] = numbers;
    if (!account || first === undefined) return;
    const asked: MsgKey[] = [];
    const ask = (msgKeys: readonly MsgKey[]): string => {
      for (const msgKey of msgKeys) this.#ledger.asked(msgKey, accountId, flow, this.#clock.monotonic());
      asked.push(...msgKeys);
      return msgKeys.join();
    };
    const idempotency = key === undefined ? undefined : { key, bodyHash: key };
    const { send } = node.parts;
    const answered = await this.#call('send', node, () =>
      numbers.length === 1
        ? send.sendSingle(account, { flow, to: first, ref: undefined }, msgKey => ask([msgKey]), idempotency)
        : send.sendOmni(
            account,
            {
              ref: undefined,
              groupKey: undefined,
              paymentCode: undefined,
              destinations: numbers.map(to => ({ given: to, to, words: {} })),
              source: { entries },
            },
            results => ask(results.flatMap(({ msgKey }) => msgKey ?? [])),
            idempotency,
          ),
    );
    const answer = answered instanceof Replayed ? answered.body : answered;
    for (const msgKey of asked) this.#ledger.told(msgKey, toldBy(answer, msgKey));
    if (typeof answer === 'string') {
      // A repetition is answered with the keys of the first.
      for (const msgKey of keysIn(answer)) this.#ledger.told(msgKey, 'accepted');
    }
    const isUnknown = answer instanceof Error || (answer instanceof Problem && answer.code === UNKNOWN);
    if (!isUnknown || key === undefined || tries === 1) return;
    await sleep(this.#clock, REPEAT_MS);
    if (node.isServing) await this.#sendOnce(node, accountId, { entries, flow }, numbers, key, tries - 1);
  }

  async poll(node: RunningNode, accountId: AccountId): Promise<void> {
    const account = await this.#store().accounts.find(accountId);
    if (!account) return;
    const asking = this.batches.asks(accountId);
    const answer = await this.#call('poll', node, () => node.parts.reports.poll(account));
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
    const answer = await this.#call('delete', node, () => node.parts.reports.acknowledge(account, reportId));
    const isDoubtful = answer instanceof Error || answer?.code === UNKNOWN;
    const told = isDoubtful ? 'doubt' : (answer?.code ?? 'deleted');
    this.#trace.note(accountId, `deletes ${reportId}: ${told}`);
    this.batches.deleted(accountId, reportId, told);
    return true;
  }

  /** Makes a call; an exception is the answer, as it is over HTTP. */
  async #call<T>(what: string, node: RunningNode, call: () => Promise<T>): Promise<T | Error> {
    const operation = { what, node, since: this.#clock.monotonic() };
    this.underWay.add(operation);
    try {
      return await node.call(call);
    } catch (error) {
      if (!(error instanceof StoreFault)) this.#ledger.violated('a client meets a bug', `${what}: ${error}`);
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.underWay.delete(operation);
    }
  }

  #number(): string {
    this.#sent++;
    return `010${String(10_000_000 + this.#sent)}`;
  }
}

function toldBy(answer: string | Problem | Error, msgKey: MsgKey): 'accepted' | 'refused' | 'doubt' {
  if (answer instanceof Problem) return answer.code === UNKNOWN ? 'doubt' : 'refused';
  if (answer instanceof Error) {
    return answer instanceof StoreFault && answer.outcome === 'didNotHappen' ? 'refused' : 'doubt';
  }
  return keysIn(answer).includes(msgKey) ? 'accepted' : 'refused';
}

/** The answer as `ask` wrote it; empty where every recipient was refused. */
function keysIn(answer: string): MsgKey[] {
  return answer === '' ? [] : (answer.split(',') as MsgKey[]);
}
