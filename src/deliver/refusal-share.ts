/**
 * Tells refusals that follow the rate from those that do not.
 *
 * A carrier with a limit stops refusing when it is sent what it took before. One that refuses a share of everything goes
 * on: cut after cut in vain. That share is then borne with, and only what goes clearly beyond it counts.
 */

/** Answers to parts that were sent since `at`. */
export interface Sample {
  readonly at: number;
  taken: number;
  refused: number;
}

/** Cuts in a row that changed nothing, after which refusals are not about the rate. */
const CUTS_IN_VAIN = 3;
/** A carrier that refuses more than this has a limit, whatever it looks like. */
const MOST_BORNE = 0.6;
const MARGIN = 0.02;
const LEAST_BORNE = 0.005;
const NO_CUTS = { count: 0, firstRate: 0, answers: 0, refused: 0, last: { answers: 0, refused: 0 } };

export class RefusalShare {
  #borne = 0;
  #mostBorne = 0;
  #cuts = NO_CUTS;

  /** The share of refusals that does not depend on the rate. */
  get borne(): number {
    return this.#borne;
  }

  /** True where refusals are no more than the share that is borne with, chance aside; learns the share better. */
  isBearable({ taken, refused }: Sample): boolean {
    if (this.#borne === 0) return false;
    const answers = Math.max(1, taken + refused);
    const share = refused / answers;
    if (share > this.#borne + MARGIN + 2 * Math.sqrt((this.#borne * (1 - this.#borne)) / answers))
      return false;
    const weight = Math.min(0.25, answers / 400);
    // It never creeps up: a limit that is slowly run into must not become what is borne with.
    this.#borne = Math.min(this.#mostBorne, this.#borne + weight * (share - this.#borne));
    if (this.#borne < LEAST_BORNE) this.#borne = 0;
    return true;
  }

  /**
   * Called before each cut. Where the cuts so far changed nothing the share is borne with from now on, and the rate
   * before the first of them is told: it may be had again.
   */
  rateBeforeCutsInVain(sample: Sample, rate: number, isSoonAgain: boolean): number | undefined {
    const answers = Math.max(1, sample.taken + sample.refused);
    const { refused } = sample;
    const before = this.#cuts;
    const isAlike = isSoonAgain && isSameShare({ answers, refused }, before.last);
    if (!isAlike || refused > MOST_BORNE * answers) {
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
    if (this.#cuts.count < CUTS_IN_VAIN) return undefined;
    this.#borne = this.#cuts.refused / this.#cuts.answers;
    this.#mostBorne = 1.2 * this.#borne;
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
