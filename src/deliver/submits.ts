/** Submits to one carrier: how many parts wait for an answer, what was answered so far, and what the pace learns from it. */
import type { Carrier, SubmitAnswer } from '../carriers/carrier.ts';
import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pace } from './pace.ts';
import type { PreparedStep } from './prepare-step.ts';

export class Submits {
  readonly #carrier: Carrier;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #onAnswer: (live: LiveStep, answer: SubmitAnswer) => void;
  readonly #answered = { accepted: 0, permanent: 0, temporary: 0, unknown: 0 };
  #inFlight = 0;
  #throttled = 0;

  constructor(deps: {
    readonly carrier: Carrier;
    readonly pace: Pace;
    readonly clock: Clock;
    readonly events: Events;
    readonly onAnswer: (live: LiveStep, answer: SubmitAnswer) => void;
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
    for (const { parts } of batch) {
      this.#inFlight += parts;
      this.#pace.take(parts);
    }
    const answers = this.#carrier.submit(batch.map(({ submission }) => submission));
    for (const [index, { live, parts }] of batch.entries()) {
      answers[index]
        ?.catch((error: unknown): SubmitAnswer => {
          this.#events.failed('submit', error, { msgKey: live.msgKey });
          return { kind: 'unknown' };
        })
        .then(answer => {
          this.#answered[answer.kind]++;
          this.#events.submitted(live, answer.kind);
          this.#inFlight -= parts;
          this.#adaptPace(answer, parts, sentAt);
          this.#onAnswer(live, answer);
        });
    }
  }

  /** The carrier keeps a message whose other parts it has taken; the pace learns of those that it has not. */
  partsThrottled(parts: number, sentMsAgo: number): void {
    const now = this.#clock.monotonic();
    this.#throttled++;
    this.#pace.throttled(parts, now - sentMsAgo, now, false);
  }

  #adaptPace(answer: SubmitAnswer, parts: number, sentAt: number): void {
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
