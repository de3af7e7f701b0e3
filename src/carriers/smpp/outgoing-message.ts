/**
 * One message on its way out: its parts, the result of each, and the one answer that they give together.
 *
 *   a part refused for good                     permanent: the message can never be whole
 *   a part without an answer                    unknown, with the references of the parts that were taken
 *   all taken                                   accepted
 *   none taken                                  temporary
 *   some taken, the others surely not           the others are submitted again, later; never those that were taken
 *
 * A message whose outcome was unknown may be answered late, part by part. Each late answer that changes the outcome is
 * reported: all taken, refused for good, or more references known. A part that was surely not taken is not reported: the
 * step is in doubt by then, and a step in doubt is never sent again but waits for its receipt or its deadline.
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

/** What a message needs from its carrier. */
export interface Sender {
  /** Puts a part on the link, or settles it as unsent. */
  send(part: Outgoing): void;
  /** Calls `task` when parts may be tried again; false where they may not be, for this message. */
  later(firstTriedAt: number, tries: number, task: () => void): boolean;
  /** Parts were refused because we send too fast; the rest of the message is tried again. */
  restThrottled(parts: number, sentMsAgo: number): void;
  /** The meaning of a status; the link learns from it too. */
  learn(status: number): StatusMeaning;
  refOf(messageId: string): string;
  /** Milliseconds until the link takes submits again. */
  readonly pauseMs: number;
}

export type SubmitFields = Omit<MessagePdu, 'sequence'>;

/** The report code of a message that did not reach the carrier, or only in part. */
const OUTAGE_CODE = '23035';

/** Hears the answers of a message. */
export interface AnswerListener {
  /** Called once. */
  answer(answer: SubmitAnswer): void;
  /** Called after `unknown`, each time that late answers change the result. */
  answeredLate(answer: SubmitAnswer): void;
}

export class OutgoingMessage {
  readonly #parts: readonly MessagePart[];
  readonly #sender: Sender;
  readonly #listener: AnswerListener;
  /** Readings of the monotonic clock. */
  readonly #now: () => number;
  readonly #startedAt: number;
  #triedAt: number;
  #tries = 0;
  #open = 0;
  #isInDoubt = false;

  constructor(parts: readonly SubmitFields[], sender: Sender, now: () => number, listener: AnswerListener) {
    this.#sender = sender;
    this.#now = now;
    this.#startedAt = now();
    this.#triedAt = this.#startedAt;
    this.#listener = listener;
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
      this.#listener.answer({ kind: 'accepted', refs: [only.result.ref] });
      return;
    }
    const { refs, taken, refusals, isSilent } = this.#resultsSoFar();
    const answer = this.#certain();
    if (answer) {
      this.#listener.answer(answer);
    } else if (isSilent) {
      this.#isInDoubt = true;
      this.#listener.answer(taken.length > 0 ? { kind: 'unknown', refs } : { kind: 'unknown' });
    } else if (taken.length > 0) {
      this.#submitRestLater(refusals);
    } else {
      this.#listener.answer(this.#temporary(refusals));
    }
  }

  /** Before the message is concluded, a late answer is as good as one in time. */
  #partAnsweredLate(): void {
    if (!this.#isInDoubt) return;
    const answer = this.#certain();
    if (answer) {
      this.#isInDoubt = false;
      this.#listener.answeredLate(answer);
      return;
    }
    const { refs, taken } = this.#resultsSoFar();
    if (taken.length > 0) this.#listener.answeredLate({ kind: 'unknown', refs });
  }

  #resultsSoFar() {
    const results = this.#parts.map(({ result }): PartResult => result ?? { kind: 'unsent' });
    const refs = results.map(result => (result.kind === 'taken' ? result.ref : undefined));
    return {
      refs,
      taken: refs.filter(ref => ref !== undefined),
      refusals: results.flatMap(result => (result.kind === 'refused' ? [result.meaning] : [])),
      isSilent: results.some(({ kind }) => kind === 'silent'),
    };
  }

  /** The answer, if the results already decide it. */
  #certain(): SubmitAnswer | undefined {
    const { taken, refusals } = this.#resultsSoFar();
    const final = refusals.find(meaning => meaning.class === 'permanent');
    if (final) return { kind: 'permanent', reportCode: final.reportCode };
    return taken.length === this.#parts.length ? { kind: 'accepted', refs: taken } : undefined;
  }

  #submitRestLater(refusals: readonly StatusMeaning[]): void {
    const throttled = refusals.filter(isThrottle).length;
    if (throttled > 0) this.#sender.restThrottled(throttled, this.#now() - this.#triedAt);
    if (this.#sender.later(this.#startedAt, this.#tries, () => this.submit())) return;
    this.#listener.answer({ kind: 'permanent', reportCode: refusals[0]?.reportCode ?? OUTAGE_CODE });
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
