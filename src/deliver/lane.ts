/**
 * One carrier's lane: claims due steps, submits them, hands the answers to settle.
 *
 * The lane claims no more than the carrier's window and rate leave free, because a claimed step counts as "may have been
 * sent" if this node dies, and no more than the store keeps up with. Tenants share it fairly (fair-shares.ts).
 */
import type { Carrier, SubmitAnswer } from '../carriers/carrier.ts';
import { type ChooseRoute, UNROUTED } from '../domain/delivery/routing.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import { type AccountId, parseAttemptId } from '../domain/ids.ts';
import type { Events } from '../observe/events.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import { WakeSignal } from '../platform/signal.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { Answers } from './answers.ts';
import { CarrierGate } from './carrier-gate.ts';
import type { LaneHealth } from './carrier-health.ts';
import type { CarrierView } from './carriers.ts';
import type { Claims } from './claims.ts';
import type { Cluster } from './cluster.ts';
import { FairShares } from './fair-shares.ts';
import { Pace } from './pace.ts';
import { createPrepareStep, type PreparedStep, type PrepareStep, stepOf } from './prepare-step.ts';
import type { Settle } from './settle.ts';

const CLAIM_LIMIT = 500;
/** Accounts that one claim divides its steps between; with more, the next claim goes on after them. */
const MOST_ACCOUNTS = 500;
/** How often an idle lane looks for steps that became due, or that another node accepted. */
const IDLE_POLL_MS = 200;
const STORE_RETRY_MS = 1000;
/** Answers that may wait for the store before no more is claimed. */
const MOST_UNSETTLED = 2000;
/** How long a step waits that its carrier turned away without naming a time. */
const TURNED_AWAY_MS = 1000;
/** The same where the carrier throttles: the pace decides when it goes out, this only keeps it from coming back at once. */
const THROTTLED_MS = 200;

export class Lane {
  readonly carrier: Carrier;
  readonly gate: CarrierGate;
  readonly pace: Pace;
  readonly #store: Store;
  readonly #answers: Answers;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #claims: Claims;
  readonly #cluster: Cluster;
  readonly #route: ChooseRoute;
  readonly #prepare: PrepareStep;
  readonly #shares = new FairShares();
  readonly #sent = { accepted: 0, permanent: 0, temporary: 0, unknown: 0 };
  /** Submits that were refused because the carrier takes less. */
  #throttled = 0;
  readonly #signal = new WakeSignal();
  /** Parts that wait for their answer. */
  #inFlight = 0;
  #after: AccountId | undefined;
  #isStopping = false;
  #isClosed = false;
  #isAbandoned = false;
  #loop: Promise<void> = Promise.resolve();
  /** When the lane last looked at its queue with success, or might not look; by the monotonic clock, as is the next. */
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
    readonly formatTime: FormatTime;
  }) {
    this.carrier = deps.carrier;
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#claims = deps.claims;
    this.#cluster = deps.cluster;
    this.#route = deps.route;
    this.#prepare = createPrepareStep(deps);
    this.#lastLookAt = deps.clock.monotonic();
    this.#answers = new Answers({ ...deps, carrier: deps.carrier.name, onSettled: () => this.wake() });
    const now = deps.clock.monotonic();
    this.gate = new CarrierGate(() => deps.carrier.status(), now);
    this.pace = new Pace(deps.carrier.capabilities.rate, now);
  }

  health(): LaneHealth {
    const { state, detail } = this.carrier.status();
    return {
      name: this.carrier.name,
      state,
      detail,
      isPaused: this.gate.isPaused,
      fullSince: this.#fullSince,
      lastLookAt: this.#lastLookAt,
    };
  }

  view(): CarrierView {
    const { name, kind, capabilities } = this.carrier;
    const { channels, window, rate } = capabilities;
    const isPaused = this.gate.isPaused;
    const sent = { ...this.#sent };
    const { hint = null, ...status } = this.carrier.status();
    return {
      name,
      kind,
      ...status,
      hint,
      isPaused,
      channels,
      window,
      inFlight: this.#inFlight,
      rate,
      foundRate: rounded(this.pace.foundRate),
      throttled: this.#throttled,
      sent,
    };
  }

  start(): void {
    this.#loop = this.#run();
  }

  wake(): void {
    this.#signal.ring();
  }

  /**
   * Stops claiming and closes the carrier, which waits for the answers under way; every answer is settled, those that
   * come while the carrier closes too. After `withinMs`, where that is given, what is left is taken over at the next
   * start, as after a crash.
   */
  async close(withinMs?: number): Promise<void> {
    this.#isStopping = true;
    this.wake();
    const ended = this.carrier.close().then(() => {
      this.#isClosed = true;
      this.wake();
      return this.#loop;
    });
    if (withinMs === undefined) return ended;
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.schedule(withinMs, resolve);
    await Promise.race([ended, isOver]);
    cancel();
    this.#isAbandoned = true;
    this.#answers.abandon();
    this.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isDone()) {
      const room = this.#room();
      const { membership } = this.#cluster;
      const claimed = room > 0 ? await this.#claim(room) : [];
      if (claimed.length > 0) await this.#submit(claimed, membership);
      else await this.#rest();
    }
  }

  /** Nothing is under way, and nothing can come any more: until it is closed, a carrier may answer late. */
  #isDone(): boolean {
    if (!this.#isStopping || this.#isAbandoned) return this.#isAbandoned;
    return this.#isClosed && this.#inFlight + this.#answers.size === 0;
  }

  /** Steps that may be claimed now. */
  #room(): number {
    const now = this.#clock.monotonic();
    const isOpen = this.gate.isOpen(now);
    const free = this.carrier.capabilities.window - this.#inFlight;
    const room = Math.max(0, Math.min(CLAIM_LIMIT, free, this.pace.room(now)));
    this.#fullSince = free > 0 ? undefined : (this.#fullSince ?? now);
    if (!isOpen || room === 0) this.#lastLookAt = now;
    if (this.#isStopping || this.#answers.size >= MOST_UNSETTLED || !isOpen) return 0;
    if (!this.#cluster.isMember) {
      this.#rejoin();
      return 0;
    }
    return room;
  }

  /** This node was frozen, or the store away: nothing is sent until the others know again that it lives. */
  #rejoin(): void {
    this.#cluster.beat().then(
      () => this.wake(),
      // Told by whoever beats every second, and tried again then.
      () => {},
    );
  }

  async #claim(limit: number): Promise<LiveStep[]> {
    const now = this.#clock.now();
    const carrier = this.carrier.name;
    try {
      const query = { carrier, after: this.#after, limit: MOST_ACCOUNTS };
      const ready = await this.#store.queue.readyAccounts(query);
      const isRoundOver = this.#after === undefined;
      this.#after = ready.length === MOST_ACCOUNTS ? ready.at(-1) : undefined;
      const shares = this.#shares.share(ready, limit, this.#clock.monotonic());
      const claimed = shares.length > 0 ? await this.#claims.claim({ carrier, shares, now }) : [];
      this.#lastLookAt = this.#clock.monotonic();
      // Behind the last account the round begins again, without a rest in between.
      return claimed.length > 0 || isRoundOver ? claimed : await this.#claim(limit);
    } catch (error) {
      this.#events.failed('claim', error, { carrier });
      await sleep(this.#clock, STORE_RETRY_MS);
      return [];
    }
  }

  /** `membership`: this node's when it claimed them. */
  async #submit(claimed: readonly LiveStep[], membership: number): Promise<void> {
    const prepared: PreparedStep[] = [];
    for (const live of claimed) {
      const step = await this.#prepare(live, this.#clock.now());
      if ('name' in step) this.#answer(live, step);
      else prepared.push(step);
    }
    // Whoever was frozen may be dead to the others, and these messages somebody else's by now.
    if (!this.#cluster.isMember || this.#cluster.membership !== membership) {
      for (const { live } of prepared) this.#answer(live, { name: 'returned', retryAfterMs: 0 });
      return;
    }
    const { batchSize } = this.carrier.capabilities;
    for (let start = 0; start < prepared.length; start += batchSize) {
      this.#submitBatch(prepared.slice(start, start + batchSize));
    }
  }

  #submitBatch(batch: readonly PreparedStep[]): void {
    const sentAt = this.#clock.monotonic();
    for (const { live, parts } of batch) {
      this.#inFlight += parts;
      this.pace.take(parts);
      this.#shares.charge(live.account, parts, sentAt);
    }
    const answers = this.carrier.submit(batch.map(({ submission }) => submission));
    for (const [index, { live, parts }] of batch.entries()) {
      answers[index]
        ?.catch((error: unknown): SubmitAnswer => {
          this.#events.failed('submit', error, { msgKey: live.msgKey });
          return { kind: 'unknown' };
        })
        .then(answer => {
          this.#sent[answer.kind]++;
          this.#events.submitted(live, answer.kind);
          this.#inFlight -= parts;
          this.#adaptPace(answer, parts, sentAt);
          this.#answer(live, this.#eventOf(live, answer), 'refs' in answer ? answer.refs : undefined);
          this.wake();
        });
    }
  }

  /** The carrier keeps a message whose other parts it has taken; the pace learns of those that it has not. */
  partsThrottled(parts: number, sentMsAgo: number): void {
    const now = this.#clock.monotonic();
    this.#throttled++;
    this.pace.throttled(parts, now - sentMsAgo, now, false);
  }

  #adaptPace(answer: SubmitAnswer, parts: number, sentAt: number): void {
    const now = this.#clock.monotonic();
    if (answer.kind === 'temporary' && answer.isThrottled) {
      this.#throttled++;
      this.pace.throttled(parts, sentAt, now, answer.retryAfterMs !== undefined);
    } else if (answer.kind !== 'unknown' && !(answer.kind === 'temporary' && answer.isCarriersFault)) {
      // What is refused for what it is has used up the carrier's rate all the same.
      this.pace.taken(parts, sentAt, now);
    }
  }

  /** An answer to a submit that was told to be unknown before: it settles the doubt. */
  answeredLate(attemptId: string, answer: SubmitAnswer): void {
    const key = parseAttemptId(attemptId);
    if (!key || answer.kind === 'temporary') return;
    const asked = { carrier: this.carrier.name, ...('refs' in answer && { refs: answer.refs }) };
    this.#answers.add({ kind: 'step', ...key, event: eventOf(answer), ...asked });
  }

  #eventOf(live: LiveStep, answer: SubmitAnswer): StepEvent {
    if (answer.kind === 'temporary' && answer.isThrottled) {
      return this.#elsewhereOrBack(live, answer.retryAfterMs ?? THROTTLED_MS);
    }
    if (answer.kind === 'temporary' && answer.isCarriersFault) {
      this.gate.turnedAway(this.#clock.monotonic());
      return this.#elsewhereOrBack(live, answer.retryAfterMs ?? TURNED_AWAY_MS);
    }
    if (answer.kind !== 'unknown') this.gate.took();
    if (answer.kind === 'temporary') {
      const { reportCode, retryAfterMs } = answer;
      return { name: 'deferred', reportCode, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    return eventOf(answer);
  }

  /** The carrier has not taken it, for reasons of its own: another may, or it waits here for its next turn. */
  #elsewhereOrBack(live: LiveStep, retryAfterMs: number): StepEvent {
    if (!this.gate.isAvailable(this.#clock.monotonic())) {
      const { account, to } = live;
      const route = this.#route({ account, channel: stepOf(live).channel, to });
      const isElsewhere = route.carrier !== this.carrier.name && route.carrier !== UNROUTED;
      if (isElsewhere) return { name: 'rerouted', ...route };
    }
    return { name: 'returned', retryAfterMs };
  }

  #answer(live: LiveStep, event: StepEvent, refs?: readonly (string | undefined)[]): void {
    const { msgKey, step, attempt, claim } = live;
    const asked = {
      carrier: this.carrier.name,
      ...(claim !== undefined && { claim }),
      ...(refs && { refs }),
    };
    this.#answers.add({ kind: 'step', msgKey, step, attempt, event, ...asked });
  }

  async #rest(): Promise<void> {
    const pauseMs = this.pace.msUntilRoom(this.#clock.monotonic());
    const cancel = this.#clock.schedule(pauseMs > 0 ? Math.min(pauseMs, IDLE_POLL_MS) : IDLE_POLL_MS, () =>
      this.wake(),
    );
    await this.#signal.wait();
    cancel();
  }
}

function eventOf(answer: Exclude<SubmitAnswer, { readonly kind: 'temporary' }>): StepEvent {
  switch (answer.kind) {
    case 'accepted':
      return { name: 'accepted', parts: answer.refs.length };
    case 'permanent':
      return { name: 'refused', reportCode: answer.reportCode };
    case 'unknown':
      return { name: 'lost', ...(answer.refs && { parts: answer.refs.length }) };
  }
}

/** A found rate is no more exact than this. */
function rounded(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 10) / 10;
}
