/**
 * Distinguishes refusals that depend on the rate from those that do not.
 *
 * A carrier with a limit stops refusing when it is sent what it took before. One that refuses a share of everything goes
 * on refusing, cut after cut. That share is then tolerated, and only refusals clearly beyond it count.
 */

/** Answers to parts that were sent since `at`. */
export interface Sample {
  readonly at: number;
  taken: number;
  refused: number;
}

/** After so many cuts in a row that changed nothing, refusals are not about the rate. */
const USELESS_CUTS = 3;
/** A carrier that refuses more than this surely has a limit. */
const MOST_TOLERATED = 0.6;
const MARGIN = 0.02;
const LEAST_TOLERATED = 0.005;
const NO_CUTS = { count: 0, firstRate: 0, answers: 0, refused: 0, last: { answers: 0, refused: 0 } };

export class RefusalShare {
  #tolerated = 0;
  #mostTolerated = 0;
  #cuts = NO_CUTS;

  /** The share of refusals that does not depend on the rate. */
  get tolerated(): number {
    return this.#tolerated;
  }

  /** True while refusals are no more than the tolerated share, chance aside; learns the share better. */
  isTolerable({ taken, refused }: Sample): boolean {
    if (this.#tolerated === 0) return false;
    const answers = Math.max(1, taken + refused);
    const share = refused / answers;
    if (share > this.#tolerated + MARGIN + 2 * Math.sqrt((this.#tolerated * (1 - this.#tolerated)) / answers))
      return false;
    const weight = Math.min(0.25, answers / 400);
    // It never creeps up: refusals by a limit that is reached slowly must not become tolerated.
    this.#tolerated = Math.min(this.#mostTolerated, this.#tolerated + weight * (share - this.#tolerated));
    if (this.#tolerated < LEAST_TOLERATED) this.#tolerated = 0;
    return true;
  }

  /**
   * Called before each cut. Where the cuts so far changed nothing, the share is tolerated from now on, and the rate before
   * the first of them is returned, to be used again.
   */
  rateBeforeUselessCuts(sample: Sample, rate: number, isSoonAgain: boolean): number | undefined {
    const answers = Math.max(1, sample.taken + sample.refused);
    const { refused } = sample;
    const before = this.#cuts;
    const isSame = isSoonAgain && isSameShare({ answers, refused }, before.last);
    if (!isSame || refused > MOST_TOLERATED * answers) {
      this.#cuts = { count: 0, firstRate: rate, answers, refused, last: { answers, refused } };
      return undefined;
    }
    this.#cuts = {
      count: before.count + 1,
      firstRate: before.firstRate,
      answers: before.answers + answers,
      refused: before.refused + refused,
      last: { answers, refused },
    };
    if (this.#cuts.count < USELESS_CUTS) return undefined;
    this.#tolerated = this.#cuts.refused / this.#cuts.answers;
    this.#mostTolerated = 1.2 * this.#tolerated;
    this.#cuts = NO_CUTS;
    return before.firstRate;
  }
}

interface Count {
  readonly answers: number;
  readonly refused: number;
}

/** Whether two counts may well come from one share: they differ by no more than two standard deviations. */
function isSameShare(a: Count, b: Count): boolean {
  if (b.answers === 0) return false;
  const share = (a.refused + b.refused) / (a.answers + b.answers);
  const deviation = Math.sqrt(share * (1 - share) * (1 / a.answers + 1 / b.answers));
  return Math.abs(a.refused / a.answers - b.refused / b.answers) <= 2 * deviation;
}
