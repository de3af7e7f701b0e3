/**
 * Whether a lane may send through its carrier. The health of a carrier of any kind is judged only here.
 *
 *   up       messages go out
 *   slowed   it asked for a short pause: its messages wait for it
 *   resting  nothing goes out, its messages go by the next carrier or wait. After the pause it waits for a message, which
 *            goes out as a probe, alone. If it is taken, the rest is over, and each message that is taken makes room for one
 *            more, until five were. A fault meanwhile, or a probe that is not taken, begins the next rest, twice as long, a
 *            minute at most
 *
 * A carrier rests in four cases: of what was submitted since some moment at least five messages and at least half have met a
 * fault (fault-share.ts); its link was lost five times with submits unanswered, and these were a tenth of its messages; it has
 * taken nothing for a minute, whatever its words (throttled, temporary, a fault); it asked for a pause of more than a minute.
 *
 * A message is taken if the carrier accepts it or refuses it for good. A fault is a refusal for the carrier's own reasons, a
 * submit without an answer, or an answer that says nothing. While the carrier is not up, by its own account, or slowed, all
 * faults together count once. What was submitted before a rest says nothing any more. `now` is always
 * a reading of the monotonic clock.
 */
import type { BreakerSettings, CarrierState, CarrierStatus } from '../carriers/carrier.ts';
import { Breaker, doublingPause } from '../platform/breaker.ts';
import type { Clock } from '../platform/clock.ts';
import { FaultShare } from './fault-share.ts';

const BREAKER: BreakerSettings = { failures: 5, pauseMs: 1_000, longestPauseMs: 60_000 };
/** A longer pause that it asks for is an outage: its traffic goes another way. */
const LONGEST_SLOW_MS = 60_000;
/** A carrier that takes nothing for so long rests. */
const NOTHING_TAKEN_MS = 60_000;
/** Refusals say so only together: so many, and none this long after the one before. */
const LEAST_REFUSALS = 5;
const REFUSALS_APART_MS = 2 * NOTHING_TAKEN_MS;
/** Links lost with submits unanswered. Messages that were taken excuse them: so many for each of those submits, and more. */
const LEAST_LINKS_LOST = 5;
const TAKEN_FOR_LOST = 10;
/** Messages in a row that are taken after a rest before everything goes out again. */
const TAKEN_UNTIL_OPEN = 5;
/** A link that was lost is given this long before its traffic goes another way. */
const GRACE_MS = 5_000;

/** As operators see it. `waiting`: its rest is over, and the next message shows whether it is well again. */
export type GateStatus = Omit<CarrierStatus, 'state'> & { readonly state: CarrierState | 'waiting' };

export class CarrierGate {
  readonly #status: () => CarrierStatus;
  readonly #underWay: () => number;
  readonly #submitted: () => number;
  readonly #changed: (notice: 'resting' | 'recovered', reason: string) => void;
  readonly #faults: FaultShare;
  readonly #breaker: Breaker;
  isPaused = false;
  /** This node is to send nothing more. Another one does, so that its traffic need not go another way. */
  isDraining = false;
  #awaySince: number | undefined;
  /** A fault was counted since it is not up. */
  #isCounted = false;
  /** Messages in a row that were not taken. */
  #refusals = { count: 0, since: 0, lastAt: 0 };
  /** The links lost with submits unanswered, those submits, and the messages taken since the first was lost. */
  #losses = { links: 0, submits: 0, taken: 0 };
  #restSince = Number.NEGATIVE_INFINITY;
  #takenSinceRest = 0;
  #restReason = '';
  /** It asked for a short pause. */
  #slowed = { since: 0, until: Number.NEGATIVE_INFINITY };

  constructor(deps: {
    readonly status: () => CarrierStatus;
    /** Parts that are with the carrier, or about to be. */
    readonly underWay: () => number;
    /** Those that are with the carrier. */
    readonly submitted: () => number;
    readonly changed: (notice: 'resting' | 'recovered', reason: string) => void;
    readonly breaker?: BreakerSettings | undefined;
    readonly now: number;
  }) {
    const { failures, pauseMs, longestPauseMs } = deps.breaker ?? BREAKER;
    this.#faults = new FaultShare(failures);
    this.#breaker = new Breaker({
      failures: 1,
      pauseMs: doublingPause(pauseMs, longestPauseMs),
    });
    this.#status = deps.status;
    this.#underWay = deps.underWay;
    this.#submitted = deps.submitted;
    this.#changed = deps.changed;
    this.statusChanged(deps.now);
  }

  /** Messages that it takes at this moment. */
  room(now: number): number {
    this.statusChanged(now);
    const isOpen = !this.isPaused && !this.isDraining && this.#isUpItself(now);
    const state = this.#breaker.state(now);
    if (!isOpen || state === 'open') return 0;
    if (state === 'closed') return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#takenSinceRest + 1 - this.#underWay());
  }

  /** It takes messages now or will in a moment: worth waiting for. After a rest only what there is room for is. */
  isAvailable(now: number): boolean {
    this.statusChanged(now);
    const state = this.#breaker.state(now);
    if (this.isPaused || state === 'open') return false;
    if (state === 'probing' && this.#underWay() > this.#takenSinceRest) return false;
    return this.#awaySince === undefined || now - this.#awaySince < GRACE_MS;
  }

  /** It takes messages of this node, so that those that wait at other nodes need not go another way. */
  isUp(now: number): boolean {
    return !this.isDraining && !this.#isResting && this.isAvailable(now);
  }

  /** The carrier's own, unless it rests. */
  status(clock: Clock): GateStatus {
    const status = this.#status();
    const now = clock.monotonic();
    const isPaused = this.#breaker.state(now) === 'open';
    const isItsOwn = status.state !== 'up' && (status.state !== 'slowed' || !isPaused);
    if (isItsOwn) return status;
    const wall = (at: number) => Math.round((clock.now() - (now - at)) / 1000) * 1000;
    if (!isPaused && now < this.#slowed.until) {
      return { ...status, state: 'slowed', detail: 'it asked for a pause', since: wall(this.#slowed.since) };
    }
    if (!this.#isResting) return status;
    const since = wall(this.#restSince);
    const reason = this.#restReason;
    return isPaused || this.#submitted() > 0
      ? { ...status, state: 'down', detail: reason, since }
      : { ...status, state: 'waiting', detail: `the next message is a test, after: ${reason}`, since };
  }

  /** Until when it rests, by the wall clock to the second; null where it does not. */
  closedUntil(clock: Clock): number | null {
    const remainingMs = this.#breaker.remainingMs(clock.monotonic());
    return remainingMs === 0 ? null : Math.ceil((clock.now() + remainingMs) / 1000) * 1000;
  }

  /** The carrier's status may have changed. */
  statusChanged(now: number): void {
    const { state } = this.#status();
    this.#awaySince = state === 'up' || state === 'slowed' ? undefined : (this.#awaySince ?? now);
    if (this.#isUpItself(now)) this.#isCounted = false;
  }

  #isUpItself(now: number): boolean {
    return this.#status().state === 'up' && now >= this.#slowed.until;
  }

  /** A message submitted at `sentAt` was accepted, or refused for good. */
  taken(sentAt: number): void {
    if (sentAt < this.#restSince) return;
    this.#refusals.count = 0;
    this.#faults.add(sentAt, 'taken');
    if (this.#losses.submits > 0) this.#losses.taken++;
    if (this.#losses.taken > TAKEN_FOR_LOST * this.#losses.submits) this.#forgetLosses();
    if (!this.#breaker.isTripped) return;
    this.#takenSinceRest++;
    if (this.#takenSinceRest === 1) this.#changed('recovered', this.#restReason);
    if (this.#takenSinceRest >= TAKEN_UNTIL_OPEN) this.#breaker.succeeded();
  }

  /** A message submitted at `sentAt` may have been taken or not, by the carrier's fault. */
  lost(sentAt: number, now: number, fault: string): void {
    this.statusChanged(now);
    if (sentAt >= this.#restSince && this.#awaySince !== undefined) {
      if (!this.#isCounted) this.#losses.links++;
      this.#losses.submits++;
    }
    this.notTaken(sentAt, now, fault);
  }

  /** A message submitted at `sentAt` was not taken. `fault`: why, for people, where that is the carrier's fault. */
  notTaken(sentAt: number, now: number, fault?: string): void {
    this.statusChanged(now);
    if (sentAt < this.#restSince || this.#breaker.state(now) === 'open') return;
    const isFault = fault !== undefined && !this.#isCounted;
    if (isFault) {
      this.#isCounted = !this.#isUpItself(now);
      this.#faults.add(sentAt, 'faults');
    }
    const takesNothing = this.#takesNothing(now);
    const isFaulty = this.#faults.isLarge || this.#losses.links >= LEAST_LINKS_LOST;
    if (isFault && (this.#breaker.isTripped || isFaulty)) this.#rest(fault, now);
    else if (takesNothing || this.#isResting) this.#rest('it accepts no messages', now);
  }

  /** Counts a message that was not taken. */
  #takesNothing(now: number): boolean {
    const { count, since, lastAt } = this.#refusals;
    const isFirst = count === 0 || now - lastAt > REFUSALS_APART_MS;
    this.#refusals = { count: isFirst ? 1 : count + 1, since: isFirst ? now : since, lastAt: now };
    return this.#refusals.count >= LEAST_REFUSALS && now - this.#refusals.since >= NOTHING_TAKEN_MS;
  }

  #forgetLosses(): void {
    this.#losses = { links: 0, submits: 0, taken: 0 };
  }

  /** It has taken nothing since the last rest began. */
  get #isResting(): boolean {
    return this.#breaker.isTripped && this.#takenSinceRest === 0;
  }

  /** It refuses our account, whatever it is asked. */
  refused(reason: string, now: number): void {
    if (this.#breaker.state(now) !== 'open') this.#rest(reason, now);
  }

  /** The answer to a submit of `sentAt` asks to be sent nothing for so long. */
  askedToWait(waitMs: number, sentAt: number, now: number): void {
    if (waitMs > LONGEST_SLOW_MS) {
      if (sentAt >= this.#restSince && waitMs > this.#breaker.remainingMs(now))
        this.#rest('it asked for a long pause', now, waitMs);
    } else if (now + waitMs > this.#slowed.until) {
      this.#slowed = { since: now < this.#slowed.until ? this.#slowed.since : now, until: now + waitMs };
    }
  }

  /** Does not wait for the end of the rest: the next message is a probe. */
  endPause(now: number): void {
    this.#slowed.until = now;
    this.#breaker.endPause(now);
  }

  #rest(reason: string, now: number, leastMs = 0): void {
    this.#breaker.trip(now, leastMs);
    this.#faults.clear();
    this.#forgetLosses();
    this.#refusals.count = 0;
    this.#takenSinceRest = 0;
    this.#restSince = now;
    this.#restReason = reason;
    this.#changed('resting', reason);
  }
}
