/**
 * Learns in which form receipts write the ids of answers, from those that match in one form only.
 *
 *   looking   every receipt is looked up in each form; the ones that match a message of the same recipient in exactly one
 *             of them are votes
 *   learned   a clear majority of votes decided; receipts are converted without looking
 *
 * It never guesses: a receipt that matches in two forms is no vote and settles nothing. When receipts match nothing any
 * more, several in a row, it looks again.
 */
import { type NamedNumbers, namesNumber } from '../../domain/delivery/receipt-numbers.ts';
import { ID_FORMS, type IdForm, type MessageIds, receiptRef } from './message-ids.ts';

const VOTES_TO_LEARN = 8;
const MAJORITY = 0.8;
const UNMATCHED_UNTIL_LOOKING = 20;

/** The references of an id, by form; forms that give the same one share it. */
export function refsByForm(messageId: string, messageIds: MessageIds): Map<string, IdForm[]> {
  const refs = new Map<string, IdForm[]>();
  for (const form of ID_FORMS) {
    const ref = receiptRef(messageId, messageIds, form);
    refs.set(ref, [...(refs.get(ref) ?? []), form]);
  }
  return refs;
}

export type KnownRefs = ReadonlyMap<string, readonly string[]>;

/** The references of a receipt that messages with its recipient have. */
export function matchesOf(refs: Iterable<string>, receipt: NamedNumbers, known: KnownRefs): string[] {
  return [...refs].filter(ref => known.get(ref)?.some(recipient => namesNumber(receipt, recipient)));
}

export class ReceiptIdForms {
  readonly #votes = new Map<IdForm, number>();
  #learned: IdForm | undefined;
  #form: IdForm = 'same';
  #unmatched = 0;

  /** The form that is learned; undefined while it is looking. */
  get learned(): IdForm | undefined {
    return this.#learned;
  }

  /** The form for receipts that match nothing: the last one learned. */
  get form(): IdForm {
    return this.#form;
  }

  /** A receipt matched in these forms only. More than one of them says nothing. */
  vote(forms: readonly IdForm[]): void {
    const [form] = forms;
    if (form === undefined || forms.length > 1) return;
    this.#votes.set(form, (this.#votes.get(form) ?? 0) + 1);
    const all = [...this.#votes.values()].reduce((sum, votes) => sum + votes, 0);
    const own = this.#votes.get(form) ?? 0;
    if (own < VOTES_TO_LEARN || own < MAJORITY * all) return;
    this.#learned = form;
    this.#form = form;
    this.#unmatched = 0;
    this.#votes.clear();
  }

  matched(): void {
    this.#unmatched = 0;
  }

  unmatched(): void {
    this.#unmatched++;
    if (this.#unmatched >= UNMATCHED_UNTIL_LOOKING) this.#learned = undefined;
  }
}
