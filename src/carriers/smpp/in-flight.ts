/**
 * Submits that were written and wait for their answer, oldest first, by sequence number. There is one limit of time for
 * all of them, so the order of writing is the order of expiry and no submit needs a timer of its own.
 */
import type { PduWriter } from './pdu-writer.ts';

/** How a submit ended. Exactly one of them reaches each. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly messageId: string }
  /** Written and never answered: it may or may not have been taken. */
  | { readonly kind: 'silent' }
  /** Surely never written. */
  | { readonly kind: 'unsent' };

export interface Outgoing {
  encode(writer: PduWriter, sequence: number): void;
  settle(outcome: Outcome): void;
}

interface Written {
  readonly outgoing: Outgoing;
  readonly writtenAt: number;
}

/** Sequence numbers of the standard run from 1 to 0x7fffffff. */
const LAST_SEQUENCE = 0x7fffffff;

export class InFlight {
  readonly #written = new Map<number, Written>();
  #sequence = 0;

  get size(): number {
    return this.#written.size;
  }

  /** A number that no unanswered submit has. */
  nextSequence(): number {
    do {
      this.#sequence = this.#sequence === LAST_SEQUENCE ? 1 : this.#sequence + 1;
    } while (this.#written.has(this.#sequence));
    return this.#sequence;
  }

  add(sequence: number, outgoing: Outgoing, writtenAt: number): void {
    this.#written.set(sequence, { outgoing, writtenAt });
  }

  /** False where no submit waits for this number: answered before, or given up. */
  settle(sequence: number, outcome: Outcome): boolean {
    const written = this.#written.get(sequence);
    if (!written) return false;
    this.#written.delete(sequence);
    written.outgoing.settle(outcome);
    return true;
  }

  /** Gives up on what was written at `before` or earlier; tells how many. */
  expire(before: number): number {
    let expired = 0;
    for (const [sequence, { writtenAt }] of this.#written) {
      if (writtenAt > before) break;
      this.settle(sequence, SILENT);
      expired++;
    }
    return expired;
  }
}

const SILENT: Outcome = { kind: 'silent' };
