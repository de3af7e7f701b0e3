/**
 * One message on its way out: its parts, the result of each, and the one answer that they give together.
 *
 *   a part refused for good                     permanent: the message can never be whole
 *   a part without an answer                    unknown
 *   all taken                                   accepted; unknown if one has no id by which its receipt finds it
 *   none taken                                  temporary
 *   some taken, the others surely not           the others are submitted again, later; never those that were taken. After five
 *                                               minutes: permanent. At the deadline of the step, or when the carrier has closed: unknown
 *
 * A message whose outcome was unknown may be answered late, part by part. Each late answer that changes the outcome is
 * reported: all taken, refused for good, or more references known. Every answer has the references of the parts that were taken:
 * their receipts come in any case, and must find this message and no other. A part that was surely not taken is not reported: the
 * step is in doubt by then, and a step in doubt is never sent again but waits for its receipt or its deadline.
 */
import type { PartAnswers, SubmitAnswer } from '../carrier.ts';
import { encodeSubmit } from './encode.ts';
import type { Answered, Outcome, Outgoing } from './in-flight.ts';
import type { MessagePdu } from './pdu.ts';
import type { PduWriter } from './pdu-writer.ts';
import type { StatusMeaning } from './statuses.ts';

type PartResult =
  /** `ref` is undefined if the answer had no id and receipts are to come. */
  | { readonly kind: 'taken'; readonly ref: string | undefined }
  | { readonly kind: 'refused'; readonly meaning: StatusMeaning }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unsent' };

/** What a message needs from its carrier. */
export interface Sender {
  /** Puts a part on the link, or settles it as unsent. */
  send(part: Outgoing): void;
  later(rest: Rest): void;
  /** Nothing is submitted again. */
  readonly isClosed: boolean;
  /** The meaning of a status; the link learns from it too. */
  learn(status: number): StatusMeaning;
  refOf(messageId: string): string | undefined;
  /** Milliseconds until the link takes submits again. */
  readonly pauseMs: number;
}

/** The parts of a message that have to be submitted again. */
export interface Rest {
  /** How often any of them were submitted. */
  readonly tries: number;
  /** A reading of the monotonic clock. */
  readonly until: number;
  /** Calls `submit` when there is room. */
  whenRoom(submit: () => void): void;
  submit(): void;
  giveUp(): void;
}

export type SubmitFields = Omit<MessagePdu, 'sequence' | 'validity'>;

/** How long a message may be submitted, and what each of its submits says about it. */
export interface MessageTime {
  /** Readings of the monotonic clock. */
  readonly startedAt: number;
  readonly endsAt: number;
  /** The validity of parts that are submitted now. */
  validity(): string;
}

/** How long the remaining parts of a message are tried, once others were taken. */
const REST_TRIED_MS = 300_000;

/** The report code of a message that did not reach the carrier, or only in part. */
const OUTAGE_CODE = '23035';

const OUTAGE = { reportCode: OUTAGE_CODE, name: 'the link was lost before the rest was sent' } as const;

const NO_ID = 'the answer has no message id';
const NO_ANSWER = 'a part of a message was not answered';

/** Hears the answers of a message. */
export interface AnswerListener {
  /** Called once. */
  answer(answer: SubmitAnswer): void;
  /** Called after `unknown`, each time that late answers change the result. */
  answeredLate(answer: SubmitAnswer): void;
  /** Some parts were taken, and the others will be submitted again. */
  partlyTaken(answers: PartAnswers): void;
  /** Calls `submit` when there is room for so many parts. */
  submitRest(parts: number, submit: () => void): void;
}

export class OutgoingMessage {
  readonly #parts: readonly MessagePart[];
  readonly #sender: Sender;
  readonly #listener: AnswerListener;
  readonly #time: MessageTime;
  #tries = 0;
  /** Those of this try. */
  #tried: readonly MessagePart[] = [];
  #open = 0;
  #mayBeAnsweredLate = false;

  constructor(parts: readonly SubmitFields[], sender: Sender, time: MessageTime, listener: AnswerListener) {
    this.#sender = sender;
    this.#time = time;
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
    this.#tried = this.#rest();
    this.#open = this.#tried.length;
    this.#tries++;
    const validity = this.#time.validity();
    for (const part of this.#tried) part.submit(validity);
  }

  #rest(): readonly MessagePart[] {
    return this.#parts.filter(({ result }) => result?.kind !== 'taken');
  }

  #partEnded(): void {
    this.#open--;
    if (this.#open === 0) this.#conclude();
  }

  #conclude(): void {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only?.result?.kind === 'taken' && only.result.ref !== undefined) {
      this.#listener.answer({ kind: 'accepted', refs: [only.result.ref] });
      return;
    }
    const { taken, refusals, isSilent } = this.#resultsSoFar();
    this.#mayBeAnsweredLate = isSilent;
    const answer = this.#certain();
    if (answer) {
      this.#listener.answer(answer);
    } else if (isSilent) {
      const isUnanswered = taken + refusals.length === 0;
      this.#listener.answer({
        ...this.#unknown(),
        ...(isUnanswered ? { isUnanswered } : { fault: NO_ANSWER }),
      });
    } else if (taken === this.#parts.length) {
      this.#listener.answer({ ...this.#unknown(), fault: NO_ID });
    } else if (taken > 0) {
      this.#submitRestLater(refusals);
    } else {
      this.#listener.answer(this.#temporary(refusals));
    }
  }

  /** Before the message is concluded, a late answer is as good as one in time. */
  #partAnsweredLate(): void {
    if (!this.#mayBeAnsweredLate) return;
    const answer = this.#certain();
    if (answer) this.#listener.answeredLate(answer);
    else if (this.#resultsSoFar().taken > 0) this.#listener.answeredLate(this.#unknown());
  }

  /** That of a message in parts says how many there are, and which were taken. */
  #unknown(): Extract<SubmitAnswer, { kind: 'unknown' }> {
    return { kind: 'unknown', ...(this.#parts.length > 1 && { refs: this.#resultsSoFar().refs }) };
  }

  /** The parts that were taken keep their references: their receipts come all the same. */
  #refused({ reportCode, name }: Pick<StatusMeaning, 'reportCode' | 'name'>): SubmitAnswer {
    const { refs, taken } = this.#resultsSoFar();
    return { kind: 'permanent', reportCode, detail: name, ...(taken > 0 && { refs }) };
  }

  #resultsSoFar() {
    const results = this.#parts.map(({ result }): PartResult => result ?? { kind: 'unsent' });
    const refs = results.map(result => (result.kind === 'taken' ? result.ref : undefined));
    return {
      refs,
      taken: results.filter(({ kind }) => kind === 'taken').length,
      refusals: results.flatMap(result => (result.kind === 'refused' ? [result.meaning] : [])),
      isSilent: results.some(({ kind }) => kind === 'silent'),
    };
  }

  /** The answer, if the results already decide it. */
  #certain(): SubmitAnswer | undefined {
    const { refs, refusals } = this.#resultsSoFar();
    const final = refusals.find(meaning => meaning.class === 'permanent');
    if (final) return this.#refused(final);
    const known = refs.filter(ref => ref !== undefined);
    return known.length === this.#parts.length ? { kind: 'accepted', refs: known } : undefined;
  }

  #submitRestLater(refusals: readonly StatusMeaning[]): void {
    const throttled = refusals.filter(isThrottle).length;
    const answered = this.#tried.filter(({ result }) => result?.kind !== 'unsent').length;
    this.#listener.partlyTaken({ taken: answered - throttled, throttled, says: this.#saysOfCarrier() });
    const { startedAt, endsAt } = this.#time;
    const triedUntil = startedAt + REST_TRIED_MS;
    this.#sender.later({
      tries: this.#tries,
      until: Math.min(triedUntil, endsAt),
      whenRoom: submit => this.#listener.submitRest(this.#rest().length, submit),
      submit: () => this.submit(),
      giveUp: () => {
        const isCutShort = this.#sender.isClosed || endsAt <= triedUntil;
        this.#listener.answer(
          isCutShort ? this.#unknown() : { ...this.#refused(refusals[0] ?? OUTAGE), isToldBefore: true },
        );
      },
    });
  }

  /** By the parts of this try. That it refuses our account weighs more than what it took. */
  #saysOfCarrier(): SubmitAnswer {
    const results = this.#tried.map(({ result }) => result);
    const refusals = results.flatMap(result => (result?.kind === 'refused' ? [result.meaning] : []));
    const account = refusals.find(meaning => meaning.class === 'account');
    if (!account && results.some(result => result?.kind === 'taken')) return { kind: 'accepted', refs: [] };
    return this.#temporary(account ? [account] : refusals);
  }

  #temporary(refusals: readonly StatusMeaning[]): SubmitAnswer {
    const own = refusals.find(meaning => meaning.class === 'temporary');
    if (own) return { kind: 'temporary', reportCode: own.reportCode, detail: own.name };
    const fault = linksFault(this.#sender.pauseMs, refusals[0]?.reportCode);
    if (refusals.some(isThrottle)) return { ...fault, isThrottled: true };
    return { ...fault, ...(refusals[0] && { detail: refusals[0].name }) };
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
  #validity = '';
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

  submit(validity: string): void {
    this.#validity = validity;
    this.#sender.send(this);
  }

  encode(writer: PduWriter, sequence: number): void {
    encodeSubmit(writer, { ...this.#fields, validity: this.#validity }, sequence);
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
