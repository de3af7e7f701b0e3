/**
 * Messages with the same content, gathered into one call of several recipients.
 *
 * A call without an answer leaves all of its recipients in doubt, and a report resolves that only if it names the recipient.
 * So nothing is gathered before the service has shown that it returns the reference of each destination: the first message
 * that could be gathered goes as a combined send of one recipient, and its report tells.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Submission } from '../carrier.ts';
import type { ReportedRef } from './references.ts';
import { canCombine } from './send-request.ts';

/** `isTrial`: sent as a combined send to learn from its report. */
export interface SendGroup {
  readonly submissions: readonly Submission[];
  readonly isTrial: boolean;
}

/** A trial whose report does not come is made again after this time. */
const TRIAL_AGAIN_MS = 600_000;

export class Gathering {
  readonly #clock: Clock;
  #most: number;
  #areRefsKept: boolean | undefined;
  #nextTrialAt = 0;

  /** `most`: recipients of one call. */
  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
  }

  /** Whether the service returns the references of destinations; undefined while nothing is known. */
  get areRefsKept(): boolean | undefined {
    return this.#areRefsKept;
  }

  /** Reports show in which form our references come back. */
  learn(places: ReadonlySet<ReportedRef['place']>): void {
    if (places.has('request') || places.has('severalInRequest')) this.#areRefsKept = false;
    else if (places.has('destination')) this.#areRefsKept ??= true;
  }

  /** The service did not take a combined send that it takes in another form. */
  giveUp(): void {
    this.#areRefsKept = false;
    this.#most = 1;
  }

  groups(batch: readonly Submission[]): SendGroup[] {
    if (this.#most === 1 || batch.length === 1 || this.#areRefsKept === false) return batch.map(alone);
    const alike = Map.groupBy(batch, ({ account, message }) => `${account} ${JSON.stringify(message)}`);
    return [...alike.values()].flatMap(same => this.#split(same));
  }

  #split(same: readonly Submission[]): SendGroup[] {
    const [first, ...others] = same;
    if (!first || others.length === 0 || !canCombine(first.message)) return same.map(alone);
    if (this.#areRefsKept) return this.#chunks(same);
    const now = this.#clock.monotonic();
    if (now < this.#nextTrialAt) return same.map(alone);
    this.#nextTrialAt = now + TRIAL_AGAIN_MS;
    return [{ submissions: [first], isTrial: true }, ...others.map(alone)];
  }

  /** A recipient is in a call once: its destinations are told apart by their numbers. */
  #chunks(same: readonly Submission[]): SendGroup[] {
    const chunks: { submissions: Submission[]; numbers: Set<string> }[] = [];
    for (const submission of same) {
      const { to } = submission;
      const last = chunks.at(-1);
      const isRoom = last && last.submissions.length < this.#most && !last.numbers.has(to);
      if (isRoom) {
        last.submissions.push(submission);
        last.numbers.add(to);
      } else chunks.push({ submissions: [submission], numbers: new Set([to]) });
    }
    return chunks.map(({ submissions }) => ({ submissions, isTrial: false }));
  }
}

function alone(submission: Submission): SendGroup {
  return { submissions: [submission], isTrial: false };
}
