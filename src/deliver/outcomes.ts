/**
 * Passes what a carrier reports about its messages to settle: answers to submits, and receipts. Gathered for a turn of the
 * event loop and settled together, each receipt behind the answer that names its reference: a fast carrier sends both at once,
 * and a receipt before its answer would have to be parked until that comes.
 *
 * No answer is ever dropped: while the store is away they are kept and tried again, until the lane is abandoned at the end of
 * the process. Receipts fail at once: the carrier still has them.
 */
import type { Events } from '../observe/events.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { QueueEvent, Settled } from '../store/store.ts';
import type { Claims } from './claims.ts';
import type { Settle } from './settle.ts';

const STORE_RETRY_MS = 1000;

type StepAnswer = Extract<QueueEvent, { kind: 'step' }>;
export type ReceiptEvent = Extract<QueueEvent, { kind: 'receipt' }>;

interface HeardReceipts {
  readonly receipts: readonly ReceiptEvent[];
  readonly resolve: (settled: readonly Settled[]) => void;
  readonly reject: (error: unknown) => void;
}

export class Outcomes {
  readonly #settle: Settle;
  readonly #clock: Clock;
  readonly #events: Pick<Events, 'failed'>;
  readonly #carrier: string;
  readonly #onSettled: (isBackInQueue: boolean) => void;
  readonly #claims: Pick<Claims, 'letGo'>;
  #answers: StepAnswer[] = [];
  #heard: HeardReceipts[] = [];
  #unsettled = 0;
  #isAbandoned = false;

  constructor(deps: {
    readonly settle: Settle;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
    readonly carrier: string;
    readonly claims: Pick<Claims, 'letGo'>;
    /** Some may be back in the queue, and due. */
    readonly onSettled: (isBackInQueue: boolean) => void;
  }) {
    this.#settle = deps.settle;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#carrier = deps.carrier;
    this.#claims = deps.claims;
    this.#onSettled = deps.onSettled;
  }

  /** How many answers are not settled yet. */
  get unsettled(): number {
    return this.#unsettled;
  }

  answered(answer: StepAnswer): void {
    this.#gather();
    this.#unsettled++;
    this.#answers.push(answer);
  }

  /** Resolves to the result of each receipt. */
  received(receipts: readonly ReceiptEvent[]): Promise<readonly Settled[]> {
    return new Promise((resolve, reject) => {
      this.#gather();
      this.#heard.push({ receipts, resolve, reject });
    });
  }

  /** Gives up trying; answers that are not settled by then are lost, and their steps taken over as after a crash. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #gather(): void {
    if (this.#answers.length + this.#heard.length === 0) setImmediate(() => this.#settleGathered());
  }

  #settleGathered(): void {
    const [answers, heard] = [this.#answers, this.#heard];
    this.#answers = [];
    this.#heard = [];
    const receipts = heard.flatMap(one => one.receipts);
    const first = this.#settleTogether(answers, receipts);
    first.then(
      resultOf => {
        for (const one of heard) one.resolve(one.receipts.map(receipt => resultOf.get(receipt) ?? 'ignored'));
      },
      error => {
        for (const one of heard) one.reject(error);
      },
    );
    if (answers.length > 0) void this.#untilSettled(answers, first);
  }

  async #settleTogether(
    answers: readonly StepAnswer[],
    receipts: readonly ReceiptEvent[],
  ): Promise<ReadonlyMap<QueueEvent, Settled>> {
    const events = eachBehindItsAnswer(answers, receipts);
    const settled = await this.#settle(events);
    return new Map(events.map((event, index) => [event, settled[index] ?? 'ignored']));
  }

  async #untilSettled(answers: readonly StepAnswer[], first: Promise<unknown>): Promise<void> {
    let attempt = first;
    for (;;) {
      try {
        await attempt;
        for (const answer of answers) this.#claims.letGo(answer.msgKey, answer.claim);
        break;
      } catch (error) {
        this.#events.failed('settle', error, { carrier: this.#carrier, answers: answers.length });
        await sleep(this.#clock, STORE_RETRY_MS);
      }
      if (this.#isAbandoned) break;
      attempt = this.#settle(answers);
    }
    this.#unsettled -= answers.length;
    this.#onSettled(answers.some(({ event }) => event.name === 'returned' || event.name === 'rerouted'));
  }
}

/** Receipts of one reference stay in their order. */
function eachBehindItsAnswer(
  answers: readonly StepAnswer[],
  receipts: readonly ReceiptEvent[],
): readonly QueueEvent[] {
  if (answers.length === 0 || receipts.length === 0) return [...answers, ...receipts];
  const byRef = Map.groupBy(receipts, ({ ref }) => ref);
  const events: QueueEvent[] = [];
  for (const answer of answers) {
    events.push(answer);
    for (const ref of answer.refs ?? []) {
      if (ref === undefined) continue;
      events.push(...(byRef.get(ref) ?? []));
      byRef.delete(ref);
    }
  }
  for (const others of byRef.values()) events.push(...others);
  return events;
}
