/**
 * One carrier's lane: claims due steps, submits them, hands the answers to settle.
 *
 * The lane claims no more than the carrier's window and rate leave free, because a claimed step counts as "may have been
 * sent" if this node dies, and no more than the store keeps up with. Tenants share it fairly (fair-shares.ts).
 */
import type { Carrier, PartAnswers, SubmitAnswer } from '../carriers/carrier.ts';
import type { ChooseRoute } from '../domain/delivery/routing.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import { parseAttemptId } from '../domain/ids.ts';
import type { Events } from '../observe/events.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import { WakeSignal } from '../platform/signal.ts';
import type { NewClaim, Settled, Store } from '../store/store.ts';
import { createEventOfAnswer, type EventOfAnswer, eventOfFinalAnswer, tellGate } from './answer-event.ts';
import { CarrierGate } from './carrier-gate.ts';
import { isFull, type LaneHealth, type LaneState } from './carrier-health.ts';
import type { CarrierView } from './carrier-publisher.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { EmptyQueue, LOOK_EVERY_MS } from './empty-queue.ts';
import { FairClaims } from './fair-claims.ts';
import { Outcomes, type ReceiptEvent } from './outcomes.ts';
import { Pace } from './pace.ts';
import { createPrepareStep, type PreparedStep, type PrepareStep } from './prepare-step.ts';
import type { Settle } from './settle.ts';
import type { StepCheck } from './step-check.ts';
import { Submits } from './submits.ts';

/** So few that others' sends hardly wait for a claim, and so many that it is worth a transaction. */
const CLAIM_LIMIT = 100;
const STORE_RETRY_MS = 1000;
/** Answers that may wait for the store before no more is claimed. */
const MOST_UNSETTLED = 2000;

/** What a closing carrier submits again ends so long before the limit of the close, so that its outcome is settled. */
const LAST_OUTCOMES_MS = 2000;

/** Room that a carrier keeps for messages until it is known whether they are stored. */
export interface PromisedRoom {
  readonly claim: NewClaim;
  /** They are stored, as claimed by this. */
  stored(steps: readonly LiveStep[]): void;
  /** Unless it is certain, they may be, and are found as strays. */
  notStored(isCertain: boolean): void;
}

interface Rest {
  readonly attemptId: string;
  readonly parts: number;
  submit(): void;
}

export class Lane {
  readonly carrier: Carrier;
  readonly gate: CarrierGate;
  readonly pace: Pace;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #cluster: Cluster;
  readonly #fairClaims: FairClaims;
  readonly #prepare: PrepareStep;
  readonly #submits: Submits;
  readonly #eventOf: EventOfAnswer;
  readonly #outcomes: Outcomes;
  readonly #claims: Claims;
  readonly #signal = new WakeSignal();
  /** Steps for which an accept under way has been promised room. */
  #promised = 0;
  /** Claimed by the accepts of this turn of the event loop. */
  #handedOver: LiveStep[] = [];
  /** Parts of long messages that are to be submitted again, and wait for room. */
  readonly #rests: Rest[] = [];
  readonly #queue = new EmptyQueue();
  #isClaiming = false;
  #isStopping = false;
  #isClosed = false;
  #isAbandoned = false;
  #loop: Promise<void> = Promise.resolve();
  /** When the lane last looked at its queue with success, or was not allowed to; by the monotonic clock, as is the next. */
  #lastLookAt: number;
  #fullSince: number | undefined;

  constructor(deps: {
    readonly carrier: Carrier;
    readonly store: Store;
    readonly settle: Settle;
    readonly clock: Clock;
    readonly events: Events;
    readonly claims: Claims;
    readonly cluster: Cluster;
    readonly route: ChooseRoute;
    readonly check: StepCheck;
  }) {
    const { carrier, store, settle, clock, events, claims, cluster, route, check } = deps;
    const now = clock.monotonic();
    this.carrier = carrier;
    this.gate = new CarrierGate({
      status: () => carrier.status(),
      underWay: () => this.#submits.inFlight + this.#promised + (this.#isClaiming ? 1 : 0),
      submitted: () => this.#submits.inFlight,
      changed: (notice, reason) => events.carrierNoticed(carrier.name, notice, { reason }),
      breaker: carrier.capabilities.breaker,
      now,
    });
    this.pace = new Pace(carrier.capabilities.rate, now);
    this.#clock = clock;
    this.#events = events;
    this.#cluster = cluster;
    this.#claims = claims;
    this.#lastLookAt = now;
    this.#fairClaims = new FairClaims({ carrier: carrier.name, store, claims, clock });
    this.#prepare = createPrepareStep({ carrier, clock, events, check });
    const { repeatableForMs } = carrier.capabilities;
    this.#eventOf = createEventOfAnswer({
      carrier: carrier.name,
      gate: this.gate,
      clock,
      route,
      repeatableForMs,
    });
    this.#submits = new Submits({
      carrier,
      pace: this.pace,
      clock,
      events,
      onAnswer: (live, answer, sentAt) => {
        this.#answer(live, this.#eventOf(live, answer, sentAt), 'refs' in answer ? answer.refs : undefined);
        this.#signal.ring();
      },
    });
    this.#outcomes = new Outcomes({
      carrier: carrier.name,
      settle,
      clock,
      events,
      claims,
      onSettled: isBackInQueue => (isBackInQueue ? this.wake() : this.#signal.ring()),
    });
  }

  health(): LaneHealth {
    const { state, detail } = this.#status();
    return {
      name: this.carrier.name,
      state,
      detail,
      isPaused: this.gate.isPaused,
      fullSince: this.#fullSince,
      lastLookAt: this.#lastLookAt,
    };
  }

  #status() {
    const status = this.gate.status(this.#clock);
    const state: LaneState =
      status.state === 'up' && isFull(this.#fullSince, this.#clock.monotonic()) ? 'full' : status.state;
    return { ...status, state };
  }

  /** Messages that were taken in part. They are finished also while the carrier is paused, rests, or its node is drained. */
  get rests(): number {
    return this.#submits.rests;
  }

  view(): CarrierView {
    const { name, kind, capabilities } = this.carrier;
    const { channels, window, rate } = capabilities;
    const isPaused = this.gate.isPaused;
    const { hint = null, ...status } = this.#status();
    return {
      name,
      kind,
      ...status,
      hint,
      isPaused,
      channels,
      window,
      inFlight: this.#submits.inFlight,
      rate,
      foundRate: rounded(this.pace.foundRate),
      throttled: this.#submits.throttled,
      breakerOpenUntil: this.gate.closedUntil(this.#clock),
      sent: this.#submits.answered,
    };
  }

  start(): void {
    this.#loop = this.#run();
  }

  statusChanged(): void {
    this.gate.statusChanged(this.#clock.monotonic());
    this.wake();
  }

  /** Steps may have been added to its queue, or it may send again. */
  wake(): void {
    this.#queue.arrived();
    this.#signal.ring();
  }

  /**
   * Room for messages that are about to be accepted: they are stored as claimed, and go out without having been in the
   * queue. Undefined where others are waiting there, or the carrier has no room.
   */
  promiseRoom(messages: number): PromisedRoom | undefined {
    const isFree = this.#cluster.isMember && this.#queue.isEmpty(this.#clock.monotonic());
    if (!isFree || messages > this.#room()) return undefined;
    const { membership } = this.#cluster;
    const { owner } = this.#claims;
    const claim = this.#claims.begin();
    this.#promised += messages;
    return {
      claim: { owner, claim },
      stored: steps => {
        this.#claims.made(claim, steps);
        this.#handOver(steps, membership);
      },
      notStored: isCertain => {
        if (isCertain) this.#claims.unmade(claim);
        else this.#claims.lost(claim);
        this.#release(messages);
      },
    };
  }

  /** Steps of many requests are committed together, and submitted together. */
  #handOver(steps: readonly LiveStep[], membership: number): void {
    const isFirst = this.#handedOver.length === 0;
    this.#handedOver.push(...steps);
    if (isFirst) setImmediate(() => void this.#submitHandedOver(membership));
  }

  async #submitHandedOver(membership: number): Promise<void> {
    const steps = this.#handedOver;
    this.#handedOver = [];
    if (this.#isStopping) this.#return(steps);
    else await this.#submit(steps, membership);
    this.#release(steps.length);
  }

  #release(promised: number): void {
    this.#promised -= promised;
    this.#signal.ring();
  }

  /**
   * Stops claiming and closes the carrier, which waits for the answers under way; every answer is settled, those that
   * come while the carrier closes too. What is unanswered after `withinMs` is taken over at the next start, as after a
   * crash.
   */
  async close(withinMs: number): Promise<void> {
    if (await this.#endsWithin(withinMs)) return;
    this.#isAbandoned = true;
    this.#outcomes.abandon();
    this.wake();
    await this.#loop;
  }

  /** The same while the process goes on: what is unanswered after `withinMs` is unknown, and settled when the store takes it. */
  async retire(withinMs: number): Promise<void> {
    if (await this.#endsWithin(withinMs)) return;
    this.#submits.giveUp();
    this.#isClosed = true;
    this.wake();
  }

  /** Everything is settled. */
  get ended(): Promise<void> {
    return this.#loop;
  }

  /** False where it takes longer. */
  async #endsWithin(withinMs: number): Promise<boolean> {
    this.#isStopping = true;
    this.wake();
    const closing = this.carrier
      .close(Math.max(0, withinMs - LAST_OUTCOMES_MS))
      .catch(error => this.#events.failed('close carrier', error, { carrier: this.carrier.name }));
    const ended = closing.then(() => {
      this.#isClosed = true;
      this.wake();
      return this.#loop;
    });
    const { promise: isLate, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.schedule(withinMs, () => resolve(false));
    const hasEnded = await Promise.race([ended.then(() => true), isLate]);
    cancel();
    return hasEnded;
  }

  async #run(): Promise<void> {
    while (!this.#isDone()) {
      this.#submitRests();
      const room = this.#room();
      const { membership } = this.#cluster;
      const isDue = this.#queue.isWorthALook(this.#clock.monotonic());
      this.#isClaiming = room > 0 && isDue;
      const claimed = this.#isClaiming ? await this.#claim(room) : [];
      // The stop may have come during the claim.
      if (this.#isStopping) this.#return(claimed);
      else if (claimed.length > 0) await this.#submit(claimed, membership);
      this.#isClaiming = false;
      if (claimed.length === 0) await this.#rest();
    }
  }

  /** Nothing is under way, and nothing can come any more: until it is closed, a carrier may answer late. */
  #isDone(): boolean {
    if (!this.#isStopping || this.#isAbandoned) return this.#isAbandoned;
    const isIdle = this.#promised + this.#outcomes.unsettled === 0 && this.#submits.isIdle;
    return this.#isClosed && isIdle;
  }

  get #free(): number {
    return this.carrier.capabilities.window - this.#submits.inFlight - this.#promised;
  }

  /** Steps that may be claimed now. */
  #room(): number {
    const now = this.#clock.monotonic();
    const taking = this.gate.room(now);
    const free = this.#free;
    const room = Math.max(0, Math.min(CLAIM_LIMIT, taking, free, this.pace.room(now) - this.#promised));
    this.#fullSince = free > 0 ? undefined : (this.#fullSince ?? now);
    if (room === 0) this.#lastLookAt = now;
    if (this.#isStopping || this.#outcomes.unsettled >= MOST_UNSETTLED || taking === 0) return 0;
    if (!this.#cluster.isMember) {
      this.#rejoin();
      return 0;
    }
    return this.#rests.length > 0 ? 0 : room;
  }

  /** This node was frozen, or the store away: nothing is sent until the lease is renewed. */
  #rejoin(): void {
    this.#cluster.beat().then(
      () => this.wake(),
      // The heartbeat of every second logs its own failure, and tries again.
      () => {},
    );
  }

  async #claim(limit: number): Promise<LiveStep[]> {
    try {
      const found = this.#queue.look();
      const claimed = await this.#fairClaims.claim(limit);
      this.#lastLookAt = this.#clock.monotonic();
      found(claimed.length, this.#lastLookAt);
      return claimed;
    } catch (error) {
      this.#events.failed('claim', error, { carrier: this.carrier.name });
      await sleep(this.#clock, STORE_RETRY_MS);
      return [];
    }
  }

  /** `membership`: this node's when it claimed them. */
  async #submit(claimed: readonly LiveStep[], membership: number): Promise<void> {
    const now = this.#clock.now();
    // Together: what some of them have to look up is looked up at once.
    const steps = await Promise.all(claimed.map(live => this.#prepare(live, now)));
    const prepared: PreparedStep[] = [];
    for (const [index, live] of claimed.entries()) {
      const step = steps[index];
      if (step && 'name' in step) this.#answer(live, step);
      else if (step) prepared.push(step);
    }
    // A node that was frozen counts as dead to the others, and these messages may be another's by now.
    if (!this.#cluster.isMember || this.#cluster.membership !== membership) {
      this.#return(prepared.map(({ live }) => live));
      return;
    }
    const { batchSize } = this.carrier.capabilities;
    for (let start = 0; start < prepared.length; start += batchSize) {
      this.#submitBatch(prepared.slice(start, start + batchSize));
    }
  }

  #submitBatch(batch: readonly PreparedStep[]): void {
    const now = this.#clock.monotonic();
    for (const { live, parts } of batch) this.#fairClaims.charge(live.account, parts, now);
    this.#submits.submit(batch);
  }

  /** None of them was handed to the carrier. */
  #return(steps: readonly LiveStep[]): void {
    for (const live of steps) this.#answer(live, { name: 'returned', retryAfterMs: 0 });
  }

  /** Makes now the attempts that lane and carrier have put off. */
  reconnect(): void {
    this.gate.endPause(this.#clock.monotonic());
    this.carrier.reconnect();
    this.wake();
  }

  /** Receipts of the carrier; resolves to the result of each. */
  received(receipts: readonly ReceiptEvent[]): Promise<readonly Settled[]> {
    return this.#outcomes.received(receipts);
  }

  partlyTaken(attemptId: string, answers: PartAnswers): void {
    const sentAt = this.#submits.partlyTaken(attemptId, answers);
    if (sentAt !== undefined) tellGate(this.gate, answers.says, sentAt, this.#clock.monotonic());
    this.#signal.ring();
  }

  refused(reason: string): void {
    this.gate.refused(reason, this.#clock.monotonic());
  }

  /** Before anything else that waits for the carrier: the parts that were taken are of no use without the others. */
  submitRest(rest: Rest): void {
    this.#rests.push(rest);
    this.#signal.ring();
  }

  /** Submits the rests that there is room for. */
  #submitRests(): void {
    if (!this.#cluster.isMember) return;
    while (this.#rests.length > 0 && this.#free > 0 && this.pace.room(this.#clock.monotonic()) > 0) {
      const rest = this.#rests.shift();
      if (rest && this.#submits.submitRest(rest.attemptId, rest.parts)) rest.submit();
    }
  }

  /** An answer to a submit that was given up as unknown: it settles the doubt. */
  answeredLate(attemptId: string, answer: SubmitAnswer): void {
    const key = parseAttemptId(attemptId);
    if (!key || answer.kind === 'temporary') return;
    const asked = { carrier: this.carrier.name, ...('refs' in answer && { refs: answer.refs }) };
    this.#outcomes.answered({ kind: 'step', ...key, event: eventOfFinalAnswer(answer), ...asked });
  }

  #answer(live: LiveStep, event: StepEvent, refs?: readonly (string | undefined)[]): void {
    const { msgKey, step, attempt, claim } = live;
    const asked = {
      carrier: this.carrier.name,
      ...(claim !== undefined && { claim }),
      ...(refs && { refs }),
    };
    this.#outcomes.answered({ kind: 'step', msgKey, step, attempt, event, ...asked });
  }

  async #rest(): Promise<void> {
    const pauseMs = this.pace.msUntilRoom(this.#clock.monotonic());
    const cancel = this.#clock.schedule(pauseMs > 0 ? Math.min(pauseMs, LOOK_EVERY_MS) : LOOK_EVERY_MS, () =>
      this.#signal.ring(),
    );
    await this.#signal.wait();
    cancel();
  }
}

/** A found rate is no more exact than this. */
function rounded(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 10) / 10;
}
