/**
 * Answers of a carrier on their way to settle: gathered for a turn of the event loop and settled together. None is ever
 * dropped: while the store is away they are kept and tried again, until the lane is abandoned at the end of the process.
 */
import type { Events } from '../observe/events.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { QueueEvent } from '../store/store.ts';
import type { Claims } from './claims.ts';
import type { Settle } from './settle.ts';

const STORE_RETRY_MS = 1000;

type StepAnswer = Extract<QueueEvent, { kind: 'step' }>;

export class Answers {
  readonly #settle: Settle;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #carrier: string;
  readonly #onSettled: (isBackInQueue: boolean) => void;
  readonly #claims: Claims;
  #gathered: StepAnswer[] = [];
  #unsettled = 0;
  #isAbandoned = false;

  constructor(deps: {
    readonly settle: Settle;
    readonly clock: Clock;
    readonly events: Events;
    readonly carrier: string;
    readonly claims: Claims;
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

  /** How many are not settled yet. */
  get size(): number {
    return this.#unsettled;
  }

  add(answer: StepAnswer): void {
    this.#unsettled++;
    this.#gathered.push(answer);
    if (this.#gathered.length === 1) setImmediate(() => void this.#settleGathered());
  }

  /** Gives up trying; answers that are not settled by then are lost, and their steps taken over as after a crash. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  async #settleGathered(): Promise<void> {
    const answers = this.#gathered;
    this.#gathered = [];
    while (!this.#isAbandoned) {
      try {
        await this.#settle(answers);
        for (const answer of answers) this.#claims.letGo(answer.msgKey, answer.claim);
        break;
      } catch (error) {
        this.#events.failed('settle', error, { carrier: this.#carrier, answers: answers.length });
        await sleep(this.#clock, STORE_RETRY_MS);
      }
    }
    this.#unsettled -= answers.length;
    this.#onSettled(answers.some(({ event }) => event.name === 'returned' || event.name === 'rerouted'));
  }
}
