/**
 * One message on its way out: its parts, what became of each, and the one answer they make together.
 *
 *   a part refused for good                     permanent: the message can never be whole
 *   a part without an answer                    unknown, with the references of the parts that were taken
 *   all taken                                   accepted
 *   none taken                                  temporary
 *   some taken, the others surely not           the others are submitted again, later; never those that were taken
 */
import type { SubmitAnswer } from '../carrier.ts';
import { encodeSubmit } from './encode.ts';
import type { Outcome, Outgoing } from './in-flight.ts';
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
  /** What a status means, where the link itself learns from it too. */
  learn(status: number): StatusMeaning;
  refOf(messageId: string): string;
  /** Milliseconds until the link takes submits again. */
  readonly pauseMs: number;
}

export type SubmitFields = Omit<MessagePdu, 'sequence'>;

/** Told where the message never reached the carrier, or only in part. */
const OUTAGE_CODE = '23035';

export class OutgoingMessage {
  readonly #parts: readonly MessagePart[];
  readonly #sender: Sender;
  readonly #answer: (answer: SubmitAnswer) => void;
  readonly #startedAt: number;
  #tries = 0;
  #open = 0;

  constructor(
    parts: readonly SubmitFields[],
    sender: Sender,
    now: number,
    answer: (answer: SubmitAnswer) => void,
  ) {
    this.#sender = sender;
    this.#startedAt = now;
    this.#answer = answer;
    this.#parts = parts.map(fields => new MessagePart(fields, sender, () => this.#partEnded()));
  }

  /** Submits every part that was not taken yet. */
  submit(): void {
    const parts = this.#parts.filter(({ result }) => result?.kind !== 'taken');
    this.#open = parts.length;
    this.#tries++;
    for (const part of parts) this.#sender.send(part);
  }

  #partEnded(): void {
    this.#open--;
    if (this.#open === 0) this.#conclude();
  }

  #conclude(): void {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only?.result?.kind === 'taken') {
      this.#answer({ kind: 'accepted', refs: [only.result.ref] });
      return;
    }
    const results = this.#parts.map(({ result }): PartResult => result ?? { kind: 'unsent' });
    const refs = results.map(result => (result.kind === 'taken' ? result.ref : undefined));
    const taken = refs.filter(ref => ref !== undefined);
    const refusals = results.flatMap(result => (result.kind === 'refused' ? [result.meaning] : []));
    const final = refusals.find(meaning => meaning.class === 'permanent');
    if (final) {
      this.#answer({ kind: 'permanent', reportCode: final.reportCode });
      return;
    }
    if (taken.length === results.length) {
      this.#answer({ kind: 'accepted', refs: taken });
      return;
    }
    if (results.some(({ kind }) => kind === 'silent')) {
      this.#answer(taken.length > 0 ? { kind: 'unknown', refs } : { kind: 'unknown' });
      return;
    }
    if (taken.length > 0) {
      this.#submitRestLater(refusals);
      return;
    }
    this.#answer(this.#temporary(refusals));
  }

  #submitRestLater(refusals: readonly StatusMeaning[]): void {
    if (this.#sender.later(this.#startedAt, this.#tries, () => this.submit())) return;
    this.#answer({ kind: 'permanent', reportCode: refusals[0]?.reportCode ?? OUTAGE_CODE });
  }

  #temporary(refusals: readonly StatusMeaning[]): SubmitAnswer {
    const own = refusals.find(meaning => meaning.class === 'temporary');
    if (own) return { kind: 'temporary', reportCode: own.reportCode };
    return linksFault(this.#sender.pauseMs, refusals[0]?.reportCode);
  }
}

/** The answer to a message that the link cannot take now, whatever the message. */
export function linksFault(
  pauseMs: number,
  reportCode: StatusMeaning['reportCode'] = OUTAGE_CODE,
): SubmitAnswer {
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
  #result: PartResult | undefined;

  constructor(fields: SubmitFields, sender: Sender, ended: () => void) {
    this.#fields = fields;
    this.#sender = sender;
    this.#ended = ended;
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

  #resultOf(outcome: Outcome): PartResult {
    if (outcome.kind !== 'answered') return outcome;
    const meaning = this.#sender.learn(outcome.status);
    return meaning.class === 'ok'
      ? { kind: 'taken', ref: this.#sender.refOf(outcome.messageId) }
      : { kind: 'refused', meaning };
  }
}
