/**
 * One message on its way out: its parts, what became of each, and the one answer they make together.
 *
 *   a part refused for good                     permanent: the message can never be whole
 *   a part without an answer                    unknown, with the references of the parts that were taken
 *   all taken                                   accepted
 *   none taken                                  temporary
 *   some taken, the others surely not           the others are submitted again, later; never those that were taken
 *
 * A message that was told to be unknown may be answered late, part by part. What that makes of it is told again: all taken,
 * refused for good, or the references that have become known. That a part was surely not taken is not told: the step is
 * in doubt by then, and what is in doubt is never sent again, so it waits for its receipt or its deadline as before.
 */
import type { SubmitAnswer } from '../carrier.ts';
import { encodeSubmit } from './encode.ts';
import type { Answered, Outcome, Outgoing } from './in-flight.ts';
import type { MessagePdu } from './pdu.ts';
import type { PduWriter } from './pdu-writer.ts';
import type { StatusMeaning } from './statuses.ts';

type PartResult =
  | { readonly kind: 'taken'; readonly ref: string }
  | { readonly kind: 'refused'; readonly meaning: StatusMeaning }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unsent' };

/** What a message needs of its carrier. */
export interface Sender {
  /** Puts a part on the link, or settles it as unsent. */
  send(part: Outgoing): void;
  /** Calls `task` when parts may be tried again; false where they may not be, for this message. */
  later(firstTriedAt: number, tries: number, task: () => void): boolean;
  /** Parts were refused because we are too fast, and the message goes on nevertheless. */
  restThrottled(parts: number, sentMsAgo: number): void;
  /** What a status means, where the link itself learns from it too. */
  learn(status: number): StatusMeaning;
  refOf(messageId: string): string;
  /** Milliseconds until the link takes submits again. */
  readonly pauseMs: number;
}

export type SubmitFields = Omit<MessagePdu, 'sequence'>;

/** Told where the message never reached the carrier, or only in part. */
const OUTAGE_CODE = '23035';

/** Where its answers go. */
export interface Told {
  /** Once. */
  answer(answer: SubmitAnswer): void;
  /** After `unknown`, whenever late answers change the picture. */
  answeredLate(answer: SubmitAnswer): void;
}

export class OutgoingMessage {
  readonly #parts: readonly MessagePart[];
  readonly #sender: Sender;
  readonly #told: Told;
  /** Readings of the monotonic clock. */
  readonly #now: () => number;
  readonly #startedAt: number;
  #triedAt: number;
  #tries = 0;
  #open = 0;
  #isInDoubt = false;

  constructor(parts: readonly SubmitFields[], sender: Sender, now: () => number, told: Told) {
    this.#sender = sender;
    this.#now = now;
    this.#startedAt = now();
    this.#triedAt = this.#startedAt;
    this.#told = told;
    this.#parts = parts.map(
      fields =>
        new MessagePart(
          fields,
          sender,
          () => this.#partEnded(),
          () => this.#partAnsweredLate(),
        ),
    );
  }

  /** Submits every part that was not taken yet. */
  submit(): void {
    const parts = this.#parts.filter(({ result }) => result?.kind !== 'taken');
    this.#open = parts.length;
    this.#tries++;
    this.#triedAt = this.#now();
    for (const part of parts) this.#sender.send(part);
  }

  #partEnded(): void {
    this.#open--;
    if (this.#open === 0) this.#conclude();
  }

  #conclude(): void {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only?.result?.kind === 'taken') {
      this.#told.answer({ kind: 'accepted', refs: [only.result.ref] });
      return;
    }
    const { refs, taken, refusals, isSilent } = this.#picture();
    const answer = this.#certain();
    if (answer) {
      this.#told.answer(answer);
    } else if (isSilent) {
      this.#isInDoubt = true;
      this.#told.answer(taken.length > 0 ? { kind: 'unknown', refs } : { kind: 'unknown' });
    } else if (taken.length > 0) {
      this.#submitRestLater(refusals);
    } else {
      this.#told.answer(this.#temporary(refusals));
    }
  }

  /** Before the message is concluded, a late answer is as good as one in time. */
  #partAnsweredLate(): void {
    if (!this.#isInDoubt) return;
    const answer = this.#certain();
    if (answer) {
      this.#isInDoubt = false;
      this.#told.answeredLate(answer);
      return;
    }
    const { refs, taken } = this.#picture();
    if (taken.length > 0) this.#told.answeredLate({ kind: 'unknown', refs });
  }

  #picture() {
    const results = this.#parts.map(({ result }): PartResult => result ?? { kind: 'unsent' });
    const refs = results.map(result => (result.kind === 'taken' ? result.ref : undefined));
    return {
      refs,
      taken: refs.filter(ref => ref !== undefined),
      refusals: results.flatMap(result => (result.kind === 'refused' ? [result.meaning] : [])),
      isSilent: results.some(({ kind }) => kind === 'silent'),
    };
  }

  /** The answer that leaves no question, if there is one. */
  #certain(): SubmitAnswer | undefined {
    const { taken, refusals } = this.#picture();
    const final = refusals.find(meaning => meaning.class === 'permanent');
    if (final) return { kind: 'permanent', reportCode: final.reportCode };
    return taken.length === this.#parts.length ? { kind: 'accepted', refs: taken } : undefined;
  }

  #submitRestLater(refusals: readonly StatusMeaning[]): void {
    const throttled = refusals.filter(isThrottle).length;
    if (throttled > 0) this.#sender.restThrottled(throttled, this.#now() - this.#triedAt);
    if (this.#sender.later(this.#startedAt, this.#tries, () => this.submit())) return;
    this.#told.answer({ kind: 'permanent', reportCode: refusals[0]?.reportCode ?? OUTAGE_CODE });
  }

  #temporary(refusals: readonly StatusMeaning[]): SubmitAnswer {
    const own = refusals.find(meaning => meaning.class === 'temporary');
    if (own) return { kind: 'temporary', reportCode: own.reportCode };
    const fault = linksFault(this.#sender.pauseMs, refusals[0]?.reportCode);
    return refusals.some(isThrottle) ? { ...fault, isThrottled: true } : fault;
  }
}

function isThrottle({ class: statusClass }: StatusMeaning): boolean {
  return statusClass === 'throttle' || statusClass === 'full';
}

/** The answer to a message that the link cannot take now, whatever the message. */
export function linksFault(
  pauseMs: number,
  reportCode: StatusMeaning['reportCode'] = OUTAGE_CODE,
): Extract<SubmitAnswer, { kind: 'temporary' }> {
  return {
    kind: 'temporary',
    reportCode,
    isCarriersFault: true,
    ...(pauseMs > 0 && { retryAfterMs: pauseMs }),
  };
}

class MessagePart implements Outgoing {
  readonly #fields: SubmitFields;
  readonly #sender: Sender;
  readonly #ended: () => void;
  readonly #lateAnswer: () => void;
  #result: PartResult | undefined;

  constructor(fields: SubmitFields, sender: Sender, ended: () => void, lateAnswer: () => void) {
    this.#fields = fields;
    this.#sender = sender;
    this.#ended = ended;
    this.#lateAnswer = lateAnswer;
  }

  get result(): PartResult | undefined {
    return this.#result;
  }

  encode(writer: PduWriter, sequence: number): void {
    encodeSubmit(writer, this.#fields, sequence);
  }

  settle(outcome: Outcome): void {
    this.#result = this.#resultOf(outcome);
    this.#ended();
  }

  answeredLate(answer: Answered): void {
    this.#result = this.#resultOf(answer);
    this.#lateAnswer();
  }

  #resultOf(outcome: Outcome): PartResult {
    if (outcome.kind !== 'answered') return outcome;
    const meaning = this.#sender.learn(outcome.status);
    return meaning.class === 'ok'
      ? { kind: 'taken', ref: this.#sender.refOf(outcome.messageId) }
      : { kind: 'refused', meaning };
  }
}
