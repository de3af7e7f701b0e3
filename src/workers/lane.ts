/**
 * One carrier's lane: claims due steps, submits them, hands the answers to settle.
 *
 * The lane claims no more than the carrier's window leaves free, because a claimed step counts as "may have been sent"
 * if this node dies. Answers are gathered for a turn of the event loop and settled together. An answer is never
 * dropped: while the store is away the lane keeps it and tries again.
 */
import type { Carrier, Submission, SubmitAnswer } from '../carriers/carrier.ts';
import { isAdvertisement, quietHoursCode } from '../domain/advertisement.ts';
import { attemptIdOf } from '../domain/ids.ts';
import { familyOf, NO_ROUTE_CODE, type ReportCode } from '../domain/report-codes.ts';
import type { LiveStep, StepEvent } from '../domain/settlement.ts';
import { renderStep } from '../domain/substitution.ts';
import type { Events } from '../operations/events.ts';
import type { Settle } from '../operations/settle.ts';
import type { Clock } from '../platform/clock.ts';
import { WakeSignal } from '../platform/signal.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { QueueEvent, Store } from '../store/store.ts';

const CLAIM_LIMIT = 500;
/** How often an idle lane looks for steps that became due, or that another node accepted. */
const IDLE_POLL_MS = 200;
const STORE_RETRY_MS = 1000;
const DRAIN_MS = 10_000;
const INTERNAL_FAILURE: ReportCode = '90000';

export class Lane {
  readonly #carrier: Carrier;
  readonly #store: Store;
  readonly #settle: Settle;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #owner: string;
  readonly #localTime: (ms: number) => string;
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
    readonly formatTime: FormatTime;
  }) {
    this.#carrier = deps.carrier;
    this.#store = deps.store;
    this.#settle = deps.settle;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#owner = deps.owner;
    this.#localTime = ms => deps.formatTime(ms).slice(11, 16);
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
      if (claimed.length > 0) await this.#submit(claimed);
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

  async #submit(claimed: readonly LiveStep[]): Promise<void> {
    this.#inFlight += claimed.length;
    const now = this.#clock.now();
    const toSubmit: LiveStep[] = [];
    const submissions: Submission[] = [];
    for (const live of claimed) {
      try {
        const refusal = await this.#refusalOf(live, now);
        if (refusal) {
          this.#answer(live, refusal);
          continue;
        }
        submissions.push(submissionOf(live));
        toSubmit.push(live);
      } catch (error) {
        // One message that cannot be made ready must not hold up the lane, nor be tried for ever.
        this.#events.failed('prepare', error, { msgKey: live.msgKey });
        this.#answer(live, { name: 'refused', reportCode: INTERNAL_FAILURE });
      }
    }
    const answers = this.#carrier.submit(submissions);
    for (const [index, live] of toSubmit.entries()) {
      answers[index]
        ?.catch((error: unknown): SubmitAnswer => {
          this.#events.failed('submit', error, { msgKey: live.msgKey });
          return { kind: 'unknown' };
        })
        .then(answer => {
          this.#events.submitted(live, answer.kind);
          this.#answer(live, eventOf(answer), answer.kind === 'accepted' ? answer.refs : undefined);
        });
    }
  }

  /** Why a step need not, or must not, be submitted. */
  async #refusalOf(live: LiveStep, now: number): Promise<StepEvent | undefined> {
    if (live.deadlineAt <= now) return { name: 'deadline' };
    const step = stepOf(live);
    if (!this.#carrier.capabilities.channels.includes(step.channel)) {
      return { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(step.channel)] };
    }
    if (!isAdvertisement(step)) return undefined;
    const account = await this.#store.accounts.find(live.account);
    const code = account?.settings.adGuard ? quietHoursCode(step, this.#localTime(now)) : undefined;
    return code && { name: 'refused', reportCode: code };
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

function submissionOf(live: LiveStep): Submission {
  const { msgKey, step, attempt, account, to, words } = live;
  const message = renderStep(stepOf(live), words);
  return { attemptId: attemptIdOf(msgKey, step, attempt), account, to, attempt, message };
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
