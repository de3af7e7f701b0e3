/**
 * The rate that a carrier is found to take, in parts a second. There is none until it refuses too many. From then on
 *
 *   rate = limit / (1 - share) * (0.98 + 0.003 * rounds ** 3), and in a trial 0.8 * limit
 *
 *   limit    what it took in a second, as measured at the last cut
 *   share    the part of all that is sent that it refuses at any rate, as measured in the last trial
 *   rounds   since the last cut, those in which the rate was used up
 *
 * A round is a second, or as long as 20 parts take. Too many are refused in it if the refused part exceeds `share` by more
 * than 0.02 and two standard deviations. Then the rate is cut: `limit` is measured, `rounds` is 0, and the next round is a
 * trial. The carrier has just taken more than is sent in a trial, so what it refuses in one is not about the rate. If that is
 * more than at the cut, the limit has become lower still: another cut, another trial. A share is tried again after 8 rounds.
 *
 * If the carrier was closed in a round, or was sent less than the rate, the measure may be too low: such a cut is no deeper
 * than half. A carrier that asks for a pause has its rate halved, without a trial. Refusals in a row close a carrier: each
 * 10 of them, or a tenth of a second's worth, halve the pace until something is taken, down to one part a second.
 */

interface Finding {
  readonly limit: number;
  readonly share: number;
  readonly rounds: number;
  readonly isTrial: boolean;
}

/** Answers to the parts that are sent from `from` until `to`. */
interface Round {
  readonly from: number;
  to: number;
  /** Taken in the round before this one. */
  readonly before: number;
  taken: number;
  refused: number;
  /** Enough is known: a part that was sent later is answered. */
  isOver: boolean;
  wasClosed: boolean;
}

const UNLIMITED: Finding = { limit: Number.POSITIVE_INFINITY, share: 0, rounds: 0, isTrial: false };
/** A little below the limit, so that what the carrier still counts against us runs out. */
const BELOW_LIMIT = 0.98;
const GROWTH = 0.003;
const TRIAL = 0.8;
const LOWEST_RATE = 0.2;
/** Limits are named by the second, and less than a second does not show them. */
const ROUND_MS = 1000;
const PARTS_OF_ROUND = 20;
/** Between a cut and its trial: the carrier still counts what it has just taken. */
const SETTLE_MS = 500;
/** Refusals, and their absence, mean something when at least this part of the rate is sent. */
const USED = 0.7;
const MARGIN = 0.02;
const DEVIATIONS = 2;
/** A carrier that refuses more than this surely has a limit. */
const MOST_SHARE = 0.6;
/** The share is measured again after so many: other nodes may have been the reason for it. */
const ROUNDS_OF_SHARE = 8;
/** Half of a rate is a guess, and no limit: the rate grows faster from there. */
const ROUNDS_OF_GUESS = 4;
const ROUNDS_OF_PAUSE = 2;
const PARTS_OF_ROW = 10;
const SECONDS_OF_ROW = 0.1;
/** A carrier that is closed from the beginning is tried at half of this, and less. */
const RATE_WITHOUT_FINDING = 100;

export class FoundRate {
  #finding = UNLIMITED;
  #round: Round;
  /** Answers to parts that were sent before say nothing about the rate of now. */
  #cutAt: number;
  #hasTakenSinceCut = false;
  #refusedInARow = 0;

  constructor(now: number) {
    this.#cutAt = now;
    this.#round = roundOf(UNLIMITED, now, 0);
  }

  /** Undefined while there is none. */
  get rate(): number | undefined {
    const rate = rateOf(this.#finding);
    return rate === Number.POSITIVE_INFINITY ? undefined : rate;
  }

  /** Parts a second to send now; `most` is what settings allow. */
  paceAt(now: number, most: number): number {
    if (this.#round.isOver) this.#change(after(this.#finding, this.#round, most), now);
    const rate = rateOf(this.#finding);
    const rows = this.#rows;
    if (rows === 0) return rate;
    const open = rate === Number.POSITIVE_INFINITY ? RATE_WITHOUT_FINDING : rate;
    return Math.min(rate, Math.max(1, open / 2 ** rows));
  }

  taken(parts: number, sentAt: number, now: number): void {
    const wasClosed = this.#rows > 0;
    this.#refusedInARow = 0;
    if (sentAt < this.#cutAt) return;
    this.#hasTakenSinceCut = true;
    const round = this.#roundAt(sentAt);
    // The time before it opened shows nothing.
    if (wasClosed && round?.taken === 0) this.#round = roundOf(this.#finding, now, 0);
    else if (round) round.taken += parts;
  }

  /** `isHeld`: the carrier asks for a pause as well, which says more than one refusal. */
  throttled(parts: number, sentAt: number, now: number, isHeld: boolean): void {
    if (sentAt < this.#cutAt) return;
    if (isHeld) {
      this.#held(now);
      return;
    }
    this.#refusedInARow += parts;
    const round = this.#roundAt(sentAt);
    if (!round) return;
    round.refused += parts;
    if (this.#rows === 0) return;
    round.wasClosed = true;
    // What is sent without a rate may be far too much: this round is not waited for.
    if (this.rate === undefined) {
      round.to = sentAt;
      round.isOver = true;
    }
  }

  /** Once while nothing is taken: further refusals do not show how much it would take. */
  #held(now: number): void {
    const { taken, from, to } = this.#round;
    const rate = this.rate ?? (taken * 1000) / Math.max(1, Math.min(now, to) - from);
    if (!this.#hasTakenSinceCut || rate === 0) return;
    const share = this.#finding.isTrial ? 0 : this.#finding.share;
    const limit = (rate * (1 - share)) / 2;
    this.#change({ limit, share, rounds: ROUNDS_OF_PAUSE, isTrial: false }, now);
  }

  /** The round that a part belongs to; undefined for those between two rounds. */
  #roundAt(sentAt: number): Round | undefined {
    const round = this.#round;
    if (sentAt >= round.to) round.isOver = true;
    return sentAt >= round.from && !round.isOver ? round : undefined;
  }

  get #rows(): number {
    const row = this.rate === undefined ? PARTS_OF_ROW : Math.max(PARTS_OF_ROW, SECONDS_OF_ROW * this.rate);
    return Math.floor(this.#refusedInARow / row);
  }

  #change(finding: Finding, now: number): void {
    const before = this.#finding;
    const isCut = finding !== before && (finding.isTrial || finding.limit !== before.limit);
    this.#finding = finding;
    this.#round = roundOf(finding, isCut ? now + SETTLE_MS : now, this.#round.taken);
    if (!isCut) return;
    this.#cutAt = now;
    this.#hasTakenSinceCut = false;
  }
}

function rateOf({ limit, share, rounds, isTrial }: Finding): number {
  const rate = isTrial ? TRIAL * limit : (limit / (1 - share)) * (BELOW_LIMIT + GROWTH * rounds ** 3);
  return Math.max(LOWEST_RATE, rate);
}

function roundOf(finding: Finding, from: number, before: number): Round {
  const lengthMs = Math.max(ROUND_MS, (PARTS_OF_ROUND / rateOf(finding)) * 1000);
  return { from, to: from + lengthMs, before, taken: 0, refused: 0, isOver: false, wasClosed: false };
}

/** What a round has shown. */
function after(finding: Finding, round: Round, most: number): Finding {
  const { taken, refused, wasClosed } = round;
  const { limit, share, rounds, isTrial } = finding;
  const answers = taken + refused;
  // While nothing at all is taken, refusals do not show how much would be.
  if (taken === 0 || (!wasClosed && answers < USED * PARTS_OF_ROUND)) return finding;
  const seconds = (round.to - round.from) / 1000;
  const rate = rateOf(finding);
  const isUsed = wasClosed || answers >= USED * Math.min(rate, most) * seconds;
  const isLimited = limit < Number.POSITIVE_INFINITY;
  const refusedShare = Math.min(MOST_SHARE, refused / answers);
  const isOld = share > MARGIN && rounds >= ROUNDS_OF_SHARE;
  if (isTooMany(refused, answers, share) || wasClosed || isOld) {
    const measured = seconds < 1 ? taken + round.before * (1 - seconds) : taken / seconds;
    const half = (rate * (isTrial ? 1 : 1 - share)) / 2;
    return isLimited && (wasClosed || !isUsed) && measured < half
      ? { limit: half, share: wasClosed ? share : refusedShare, rounds: ROUNDS_OF_GUESS, isTrial: true }
      : { limit: measured, share: wasClosed && isLimited ? share : refusedShare, rounds: 0, isTrial: true };
  }
  if (isTrial) return { limit, share: refusedShare, rounds, isTrial: false };
  return isUsed && rate < most ? { limit, share, rounds: rounds + 1, isTrial } : finding;
}

/** More than the share, with a margin for chance. */
function isTooMany(refused: number, answers: number, share: number): boolean {
  const expected = share + MARGIN;
  const deviation = Math.sqrt((expected * (1 - expected)) / answers);
  return refused / answers > expected + DEVIATIONS * deviation;
}
