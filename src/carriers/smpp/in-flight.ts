/**
 * Submits that were written and wait for their answer, oldest first, by sequence number. There is one limit of time for
 * all of them, so the order of writing is the order of expiry and no submit needs a timer of its own.
 *
 * Submits that expired are kept for a while, in bounded number: their answers may still come.
 */
import type { PduWriter } from './pdu-writer.ts';

/** How a submit ended. Every submit gets exactly one of these. */
export type Outcome =
  | Answered
  /** Written and never answered: it may or may not have been taken. */
  | { readonly kind: 'silent' }
  /** Surely never written. */
  | { readonly kind: 'unsent' };

export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly messageId: string;
}

export interface Outgoing {
  encode(writer: PduWriter, sequence: number): void;
  settle(outcome: Outcome): void;
  /** The answer to what was settled as silent before. At most once. */
  answeredLate(answer: Answered): void;
}

interface Written {
  readonly outgoing: Outgoing;
  readonly writtenAt: number;
}

/** Sequence numbers of the standard run from 1 to 0x7fffffff. */
const LAST_SEQUENCE = 0x7fffffff;
const MOST_EXPIRED = 10_000;
const EXPIRED_KEPT_MS = 3_600_000;

export class InFlight {
  readonly #written = new Map<number, Written>();
  readonly #expired = new Map<number, Written>();
  #sequence = 0;

  get size(): number {
    return this.#written.size;
  }

  /** A number that no unanswered submit has. */
  nextSequence(): number {
    do {
      this.#sequence = this.#sequence === LAST_SEQUENCE ? 1 : this.#sequence + 1;
    } while (this.#written.has(this.#sequence) || this.#expired.has(this.#sequence));
    return this.#sequence;
  }

  /** `writtenAt` is a reading of the monotonic clock. */
  add(sequence: number, outgoing: Outgoing, writtenAt: number): void {
    this.#written.set(sequence, { outgoing, writtenAt });
  }

  /** `late`: the submit had been given up. `unknown`: no submit waits for this number. */
  settle(sequence: number, outcome: Outcome): 'settled' | 'late' | 'unknown' {
    const written = this.#written.get(sequence);
    if (written) {
      this.#written.delete(sequence);
      written.outgoing.settle(outcome);
      return 'settled';
    }
    const expired = this.#expired.get(sequence);
    if (!expired) return 'unknown';
    this.#expired.delete(sequence);
    if (outcome.kind === 'answered') expired.outgoing.answeredLate(outcome);
    return 'late';
  }

  /** Gives up on what was written at `before` or earlier; returns how many. */
  expire(before: number): number {
    let expired = 0;
    for (const [sequence, written] of this.#written) {
      if (written.writtenAt > before) break;
      this.settle(sequence, SILENT);
      this.#expired.set(sequence, written);
      expired++;
    }
    for (const [sequence, { writtenAt }] of this.#expired) {
      if (this.#expired.size <= MOST_EXPIRED && writtenAt > before - EXPIRED_KEPT_MS) break;
      this.#expired.delete(sequence);
    }
    return expired;
  }

  /** No answer can come any more. */
  close(): void {
    for (const sequence of this.#written.keys()) this.settle(sequence, SILENT);
    this.#expired.clear();
  }
}

const SILENT: Outcome = { kind: 'silent' };
