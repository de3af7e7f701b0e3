/** Submits to one carrier: how many parts wait for an answer, what was answered so far, and what the pace learns from it. */
import type { Carrier, PartAnswers, SubmitAnswer } from '../carriers/carrier.ts';
import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { Events } from '../observe/events.ts';
import { type RunningSpan, startSpan } from '../observe/spans.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pace } from './pace.ts';
import type { PreparedStep } from './prepare-step.ts';

/** A submission without its answer. */
interface Unanswered {
  readonly live: LiveStep;
  readonly span: RunningSpan;
  /** Parts that are with the carrier now, and since when. */
  parts: number;
  sentAt: number;
}

export class Submits {
  readonly #carrier: Carrier;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #onAnswer: (live: LiveStep, answer: SubmitAnswer, sentAt: number) => void;
  readonly #answered = { accepted: 0, permanent: 0, temporary: 0, unknown: 0 };
  readonly #unanswered = new Map<string, Unanswered>();
  #inFlight = 0;
  #throttled = 0;

  constructor(deps: {
    readonly carrier: Carrier;
    readonly pace: Pace;
    readonly clock: Clock;
    readonly events: Events;
    readonly onAnswer: (live: LiveStep, answer: SubmitAnswer, sentAt: number) => void;
  }) {
    this.#carrier = deps.carrier;
    this.#pace = deps.pace;
    this.#clock = deps.clock;
    this.#events = deps.events;
    this.#onAnswer = deps.onAnswer;
  }

  /** Parts that wait for their answer. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Messages that were taken in part; the others of their parts will be submitted again. */
  get rests(): number {
    let count = 0;
    for (const { parts } of this.#unanswered.values()) if (parts === 0) count++;
    return count;
  }

  /** Nothing waits for its answer, nor for its rest to be submitted. */
  get isIdle(): boolean {
    return this.#unanswered.size === 0;
  }

  /** Submits that were refused because the carrier takes less. */
  get throttled(): number {
    return this.#throttled;
  }

  /** Answers by kind. */
  get answered(): Readonly<Record<SubmitAnswer['kind'], number>> {
    return { ...this.#answered };
  }

  submit(batch: readonly PreparedStep[]): void {
    const sentAt = this.#clock.monotonic();
    const submissions = batch.map(({ live, parts, submission }) => {
      this.#inFlight += parts;
      this.#pace.take(parts);
      const span = startSpan('submit', submission.traceparent, {
        'bongsu.msg_key': live.msgKey,
        'bongsu.carrier': live.carrier,
        'bongsu.attempt': live.attempt,
      });
      this.#unanswered.set(submission.attemptId, { live, span, parts, sentAt });
      const { traceparent } = span;
      return traceparent === undefined ? submission : { ...submission, traceparent };
    });
    const answers = this.#carrier.submit(submissions);
    for (const [index, { live, submission }] of batch.entries()) {
      answers[index]
        ?.catch((error: unknown): SubmitAnswer => {
          this.#events.failed('submit', error, { msgKey: live.msgKey });
          return { kind: 'unknown' };
        })
        .then(answer => {
          this.#answered[answer.kind]++;
          this.#events.submitted(live, answer.kind);
          const last = this.#end(submission.attemptId, answer.kind);
          if (last) this.#adaptPace(answer, last);
          this.#onAnswer(live, answer, last?.sentAt ?? sentAt);
        });
    }
  }

  /** No answer is waited for any more: each outcome is unknown. An answer that comes nevertheless still counts. */
  giveUp(): void {
    const now = this.#clock.monotonic();
    for (const [attemptId, { live }] of [...this.#unanswered]) {
      this.#end(attemptId, 'unknown');
      this.#onAnswer(live, { kind: 'unknown' }, now);
    }
  }

  #end(attemptId: string, answer: SubmitAnswer['kind']): Unanswered | undefined {
    const last = this.#unanswered.get(attemptId);
    last?.span.end(answer === 'accepted' ? undefined : answer);
    this.#inFlight -= last?.parts ?? 0;
    this.#unanswered.delete(attemptId);
    return last;
  }

  /**
   * The carrier keeps the submission. Its parts hold no place in the window until the rest is submitted. Tells when those that
   * were answered had been submitted; undefined where nobody waits for the message any more.
   */
  partlyTaken(attemptId: string, { taken, throttled }: PartAnswers): number | undefined {
    const submission = this.#unanswered.get(attemptId);
    if (!submission) return undefined;
    const now = this.#clock.monotonic();
    this.#inFlight -= submission.parts;
    submission.parts = 0;
    if (taken > 0) this.#pace.taken(taken, submission.sentAt, now);
    if (throttled > 0) {
      this.#throttled++;
      this.#pace.throttled(throttled, submission.sentAt, now, false);
    }
    return submission.sentAt;
  }

  /** The rest may be submitted now, and counts as submitted. False where the message has its answer. */
  submitRest(attemptId: string, parts: number): boolean {
    const submission = this.#unanswered.get(attemptId);
    if (!submission) return false;
    this.#pace.take(parts);
    this.#inFlight += parts - submission.parts;
    submission.parts = parts;
    submission.sentAt = this.#clock.monotonic();
    return true;
  }

  #adaptPace(answer: SubmitAnswer, { parts, sentAt }: Unanswered): void {
    const now = this.#clock.monotonic();
    if (answer.kind === 'temporary' && answer.isThrottled) {
      this.#throttled++;
      this.#pace.throttled(parts, sentAt, now, answer.retryAfterMs !== undefined);
    } else if (answer.kind !== 'unknown' && !(answer.kind === 'temporary' && answer.isCarriersFault)) {
      // A message that is refused for its content has used up the carrier's rate all the same.
      this.#pace.taken(parts, sentAt, now);
    }
  }
}
