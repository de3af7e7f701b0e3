/**
 * The rate that a carrier is found to take, in parts a second: additive increase, multiplicative decrease.
 *
 *   unknown   nothing was throttled yet; window and settings alone decide
 *   found     since the first throttling, beginning with what was taken in the last second
 *   closed    a few refusals in a row with nothing taken: a tenth of the rate is sent, and less with each second, to find
 *             out when it takes messages again
 *
 * Throttling lowers the rate to a little below what was really taken. It counts once for all parts that were on their way
 * when the rate was last cut. Quiet time raises it, slowly at first and faster the longer it stays quiet, but only while
 * the rate is used up. Refusals that do not depend on the rate are tolerated (refusal-share.ts).
 */
import { AnswerCounts } from './answer-counts.ts';
import { RefusalShare, type Sample } from './refusal-share.ts';

/** Time between two cuts; half of it where a fifth or more is refused. */
const REACTION_MS = 1000;
/** At low rates it takes longer to have answers to judge by; no longer than this. */
const LONGEST_REACTION_MS = 5000;
const ANSWERS_TO_JUDGE = 20;
const HEAVY_SHARE = 0.2;
const CLEARLY_TOLERATED = 0.1;
/** A little below what was taken, so that what the other side still counts against us runs out. */
const BELOW_TAKEN = 0.97;
const DEEPEST_CUT = 0.5;
const UNUSED_CUT = 0.9;
const FIRST_RATE = 5;
const LOWEST_RATE = 0.2;

const RAISE_MS = 500;
const LONGEST_RAISE_MS = 2000;
const PARTS_BETWEEN_RAISES = 8;
const RAISE_SHARE = 0.01;
const LARGEST_RAISE_SHARE = 0.25;
/** After so many raises without a refusal, each is twice the one before. */
const SLOW_RAISES = 6;
/** Only while at least this share of the rate is sent does the absence of refusals mean anything. */
const USED_SHARE = 0.7;

const CLOSED_AFTER = 10;
const LATENCY_WEIGHT = 0.1;

export class FoundRate {
  readonly #taken: AnswerCounts;
  readonly #refusals = new RefusalShare();
  #rate: number | undefined;
  /** What was taken when it last throttled. */
  #limit = 0;
  #isLimitKnown = false;
  #since: Sample = { at: 0, taken: 0, refused: 0 };
  #sentSince = 0;
  #wasClosed = false;
  #cutAt = Number.NEGATIVE_INFINITY;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #raises = 0;
  /** Parts since the last raise. */
  #sent = 0;
  #refusedInARow = 0;
  #closedAt = 0;
  /** When the current run of answers without a pause began. */
  #busySince = 0;
  #lastAnswerAt = Number.NEGATIVE_INFINITY;
  #latencyMs = 0;

  constructor(now: number) {
    this.#taken = new AnswerCounts(now);
  }

  /** Undefined until the carrier has throttled. */
  get rate(): number | undefined {
    return this.#rate;
  }

  /** Parts a second to send now. */
  paceAt(now: number): number {
    if (this.#rate === undefined) return Number.POSITIVE_INFINITY;
    if (!this.#isClosed) return this.#rate;
    const closedSeconds = Math.floor((now - this.#closedAt) / 1000);
    return Math.min(this.#rate, Math.max(1, this.#rate / 10 / 2 ** closedSeconds));
  }

  sent(parts: number): void {
    this.#sent += parts;
    this.#sentSince += parts;
  }

  taken(parts: number, sentAt: number, now: number): void {
    this.#answered(sentAt, now);
    this.#taken.add(parts, now);
    this.#refusedInARow = 0;
    if (sentAt >= this.#since.at) this.#since.taken += parts;
  }

  /** `isHeld`: the carrier asks for a pause as well, which says more than one refusal. */
  throttled(parts: number, sentAt: number, now: number, isHeld: boolean): void {
    this.#answered(sentAt, now);
    const wasClosed = this.#isClosed;
    this.#refusedInARow += parts;
    if (this.#isClosed && !wasClosed) {
      this.#closedAt = now;
      this.#wasClosed = true;
    }
    // While it takes nothing at all, refusals say nothing about how much it will take.
    if (wasClosed && this.#rate !== undefined) return;
    if (sentAt >= this.#since.at) this.#since.refused += parts;
    if (this.#rate === undefined) this.#begin(now, isHeld);
    else if (sentAt < this.#since.at) return;
    else if (isHeld ? now - this.#since.at >= REACTION_MS : this.#isTimeToJudge(now)) {
      this.#judge(this.#rate, now, isHeld);
    }
  }

  /** Raises the rate where it is time to; `most` is what settings allow. */
  adapt(now: number, most: number): void {
    const passedMs = now - this.#raisedAt;
    if (this.#rate === undefined || passedMs < this.#raiseEveryMs(this.#rate)) return;
    const isUsed = this.#sent * 1000 >= USED_SHARE * this.#rate * passedMs;
    this.#raisedAt = now;
    this.#sent = 0;
    if (this.#refusals.tolerated > 0 && this.#isTimeToJudge(now)) this.#judge(this.#rate, now, false);
    if (!isUsed || this.#isClosed || now - this.#cutAt < REACTION_MS) return;
    this.#raises++;
    const doublings = this.#isLimitKnown ? Math.max(0, this.#raises - SLOW_RAISES) : 2 + this.#raises;
    const step = RAISE_SHARE * Math.max(this.#limit, this.#rate / 2) * 2 ** Math.min(10, doublings);
    this.#rate = Math.min(most, this.#rate + Math.min(step, LARGEST_RAISE_SHARE * this.#rate));
  }

  get #isClosed(): boolean {
    return this.#refusedInARow >= CLOSED_AFTER;
  }

  /** A few answers say nothing yet about what it takes, unless all are refusals. */
  #begin(now: number, isHeld: boolean): void {
    const hasSeenEnough = now - this.#busySince >= REACTION_MS;
    if (!isHeld && !this.#isClosed && !hasSeenEnough) return;
    this.#limit = this.#taken.perSecond(REACTION_MS, now);
    // Little traffic, or less than a second of it, does not show what it would take: the rate grows fast from there.
    this.#isLimitKnown = hasSeenEnough && this.#limit >= 2 * FIRST_RATE;
    this.#cutTo(Math.max(FIRST_RATE, this.#limit * (isHeld ? DEEPEST_CUT : BELOW_TAKEN)), now);
  }

  #isTimeToJudge(now: number): boolean {
    const { at, taken, refused } = this.#since;
    const hasEnough = taken + refused >= ANSWERS_TO_JUDGE;
    const isHeavy = hasEnough && refused > HEAVY_SHARE * (taken + refused);
    const afterMs = isHeavy ? REACTION_MS / 2 : hasEnough ? REACTION_MS : LONGEST_REACTION_MS;
    return now - at >= afterMs;
  }

  #judge(rate: number, now: number, isHeld: boolean): void {
    if (isHeld) {
      this.#cutTo(rate * DEEPEST_CUT, now);
      return;
    }
    if (!this.#isClosed && this.#refusals.isTolerable(this.#since)) {
      this.#sampleFrom(now);
      return;
    }
    const isSoonAgain = now - this.#cutAt < 2 * REACTION_MS + msFor(ANSWERS_TO_JUDGE, rate);
    const rateBefore = this.#refusals.rateBeforeUselessCuts(this.#since, rate, isSoonAgain);
    if (rateBefore !== undefined) {
      this.#rate = Math.max(rate, rateBefore);
      // A few refusals may also come from a limit that is measured over shorter times than we send evenly.
      this.#isLimitKnown = this.#refusals.tolerated < CLEARLY_TOLERATED;
      this.#sampleFrom(now);
      return;
    }
    const sinceCutMs = Math.min(REACTION_MS, now - this.#cutAt);
    const windowMs = Math.max(sinceCutMs, msFor(ANSWERS_TO_JUDGE, rate));
    const { tolerated } = this.#refusals;
    this.#limit = this.#taken.perSecond(windowMs, now) / (tolerated < CLEARLY_TOLERATED ? 1 : 1 - tolerated);
    this.#isLimitKnown = true;
    // Where less was sent than allowed, what was taken does not show what could have been taken.
    const isUsed = this.#wasClosed || this.#sentSince * 1000 >= USED_SHARE * rate * (now - this.#since.at);
    const deepest = isUsed ? DEEPEST_CUT : UNUSED_CUT;
    this.#cutTo(Math.max(deepest * rate, BELOW_TAKEN * Math.min(rate, this.#limit)), now);
  }

  #cutTo(rate: number, now: number): void {
    this.#rate = Math.max(LOWEST_RATE, rate);
    this.#cutAt = now;
    this.#raisedAt = now;
    this.#raises = 0;
    this.#sent = 0;
    this.#sampleFrom(now);
  }

  #sampleFrom(now: number): void {
    this.#since = { at: now, taken: 0, refused: 0 };
    this.#sentSince = 0;
    this.#wasClosed = this.#isClosed;
  }

  #raiseEveryMs(rate: number): number {
    const forPartsMs = Math.min(LONGEST_RAISE_MS, msFor(PARTS_BETWEEN_RAISES, rate));
    return Math.max(RAISE_MS, 1.5 * this.#latencyMs, forPartsMs);
  }

  #answered(sentAt: number, now: number): void {
    if (now - this.#lastAnswerAt > REACTION_MS) this.#busySince = now;
    this.#lastAnswerAt = now;
    this.#latencyMs += LATENCY_WEIGHT * (now - sentAt - this.#latencyMs);
  }
}

function msFor(parts: number, rate: number): number {
  return (parts / rate) * 1000;
}
