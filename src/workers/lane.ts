/**
 * One carrier's lane: claims due steps, submits them, hands the answers to settle.
 *
 * The lane claims no more than the carrier's window leaves free, because a claimed step counts as "may have been sent"
 * if this node dies. Answers are gathered for a turn of the event loop and settled together. An answer is never
 * dropped: while the store is away the lane keeps it and tries again.
 */
import type { Carrier, SubmitAnswer } from '../carriers/carrier.ts';
import { attemptIdOf } from '../domain/ids.ts';
import { familyOf, NO_ROUTE_CODE } from '../domain/report-codes.ts';
import type { LiveStep, StepEvent } from '../domain/settlement.ts';
import { renderStep } from '../domain/substitution.ts';
import type { Events } from '../operations/events.ts';
import type { Settle } from '../operations/settle.ts';
import type { Clock } from '../platform/clock.ts';
import { WakeSignal } from '../platform/signal.ts';
import type { QueueEvent, Store } from '../store/store.ts';

const CLAIM_LIMIT = 500;
/** How often an idle lane looks for steps that became due, or that another node accepted. */
const IDLE_POLL_MS = 200;
const STORE_RETRY_MS = 1000;
const DRAIN_MS = 10_000;

export class Lane {
  readonly #carrier: Carrier;
  readonly #store: Store;
  readonly #settle: Settle;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #owner: string;
  readonly #signal = new WakeSignal();
  #inFlight = 0;
  #answers: QueueEvent[] = [];
  #isStopping = false;
  #isAbandoned = false;
  #loop: Promise<void> = Promise.resolve();
  #lastClaimAt: number;

  constructor(deps: {
    readonly carrier: Carrier;
    readonly store: Store;
    readonly settle: Settle;
    readonly clock: Clock;
    readonly events: Events;
    readonly owner: string;
  }) {
    this.#carrier = deps.carrier;
    this.#store = deps.store;
    this.#settle = deps.settle;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#owner = deps.owner;
    this.#lastClaimAt = deps.clock.now();
  }

  /** When the lane last looked at its queue with success. */
  get lastClaimAt(): number {
    return this.#lastClaimAt;
  }

  start(): void {
    this.#loop = this.#run();
  }

  wake(): void {
    this.#signal.ring();
  }

  /**
   * Stops claiming and waits for the answers under way, but not for ever: what is unanswered then is taken over at
   * the next start, as after a crash.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const cancel = this.#clock.schedule(DRAIN_MS, () => {
      this.#isAbandoned = true;
      this.wake();
    });
    this.wake();
    await this.#loop;
    cancel();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping || (this.#inFlight > 0 && !this.#isAbandoned)) {
      const free = this.#carrier.capabilities.window - this.#inFlight;
      const claimed = this.#isStopping || free <= 0 ? [] : await this.#claim(Math.min(CLAIM_LIMIT, free));
      if (claimed.length > 0) this.#submit(claimed);
      else await this.#rest();
    }
  }

  async #claim(limit: number): Promise<LiveStep[]> {
    const now = this.#clock.now();
    try {
      const order = { owner: this.#owner, carrier: this.#carrier.name, limit, now };
      const claimed = await this.#store.queue.claim(order);
      this.#lastClaimAt = now;
      return claimed;
    } catch (error) {
      this.#events.failed('claim', error, { carrier: this.#carrier.name });
      await this.#pause(STORE_RETRY_MS);
      return [];
    }
  }

  #submit(claimed: readonly LiveStep[]): void {
    this.#inFlight += claimed.length;
    const now = this.#clock.now();
    const toSubmit: LiveStep[] = [];
    for (const live of claimed) {
      const refusal = this.#refusalOf(live, now);
      if (refusal) this.#answer(live, refusal);
      else toSubmit.push(live);
    }
    const answers = this.#carrier.submit(
      toSubmit.map(live => ({
        attemptId: attemptIdOf(live.msgKey, live.step, live.attempt),
        account: live.account,
        to: live.to,
        attempt: live.attempt,
        message: renderStep(stepOf(live), live.words),
      })),
    );
    for (const [index, live] of toSubmit.entries()) {
      answers[index]?.then(answer => {
        this.#events.submitted(live, answer.kind);
        this.#answer(live, eventOf(answer), answer.kind === 'accepted' ? answer.refs : undefined);
      });
    }
  }

  /** A step that need not be submitted at all. */
  #refusalOf(live: LiveStep, now: number): StepEvent | undefined {
    if (live.deadlineAt <= now) return { name: 'deadline' };
    const { channel } = stepOf(live);
    if (this.#carrier.capabilities.channels.includes(channel)) return undefined;
    return { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(channel)] };
  }

  #answer(live: LiveStep, event: StepEvent, refs?: readonly string[]): void {
    const { msgKey, step, attempt } = live;
    this.#answers.push({ kind: 'step', msgKey, step, attempt, event, ...(refs && { refs }) });
    if (this.#answers.length === 1) setImmediate(() => void this.#settleAnswers());
  }

  async #settleAnswers(): Promise<void> {
    const answers = this.#answers;
    this.#answers = [];
    while (!this.#isAbandoned) {
      try {
        await this.#settle(answers);
        break;
      } catch (error) {
        this.#events.failed('settle', error, { carrier: this.#carrier.name, answers: answers.length });
        await this.#pause(STORE_RETRY_MS);
      }
    }
    this.#inFlight -= answers.length;
    this.wake();
  }

  async #rest(): Promise<void> {
    const cancel = this.#clock.schedule(IDLE_POLL_MS, () => this.wake());
    await this.#signal.wait();
    cancel();
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      this.#clock.schedule(ms, resolve);
    });
  }
}

function stepOf(live: LiveStep) {
  const step = live.flow[live.step];
  if (step === undefined) throw new Error(`message ${live.msgKey} has no step ${live.step}`);
  return step;
}

function eventOf(answer: SubmitAnswer): StepEvent {
  switch (answer.kind) {
    case 'accepted':
      return { name: 'accepted' };
    case 'permanent':
      return { name: 'refused', reportCode: answer.reportCode };
    case 'temporary': {
      const { reportCode, retryAfterMs } = answer;
      return { name: 'deferred', reportCode, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    case 'unknown':
      return { name: 'lost' };
  }
}
