/**
 * Assigns keys to the recipients of a reservation, a number of recipients to each request; see
 * domain/reservation/reservation.ts.
 */
import { BASE32, type MsgKey, msgKeyOf, type RequestId, timeOfPrefix, timePrefix } from '../domain/ids.ts';
import {
  RECIPIENTS_A_LIST,
  type RecipientList,
  type ReservedRecipient,
} from '../domain/reservation/reservation.ts';
import type { Randomness } from '../platform/randomness.ts';

/** Four characters put the lists of a reservation in order, fifteen keep them apart. */
const NUMBER_LENGTH = 4;
/** Behind the time. */
const NUMBER_AT = 10;
const RANDOM_PART = 15;

export class RecipientLists {
  readonly lists: RecipientList[] = [];
  readonly #keysAt: number;
  readonly #first: number;
  readonly #random: Randomness;
  #open: { readonly requestId: RequestId; readonly recipients: ReservedRecipient[] } | undefined;
  count = 0;

  /** `behind`: the last list of the reservation; these come after it. */
  constructor(keysAt: number, random: Randomness, behind?: RequestId) {
    this.#keysAt = keysAt;
    this.#random = random;
    this.#first = behind === undefined ? 0 : numberOf(behind) + 1;
  }
  add(recipient: Omit<ReservedRecipient, 'index'>): MsgKey {
    let open = this.#open;
    if (!open || open.recipients.length === RECIPIENTS_A_LIST) {
      open = { requestId: this.#newRequestId(), recipients: [] };
      this.#open = open;
      this.lists.push(open);
    }
    const index = open.recipients.length;
    open.recipients.push({ index, ...recipient });
    this.count++;
    return msgKeyOf(open.requestId, index);
  }

  #newRequestId(): RequestId {
    const number = timePrefix(this.#first + this.lists.length).slice(-NUMBER_LENGTH);
    return (timePrefix(this.#keysAt) + number + this.#random.characters(RANDOM_PART, BASE32)) as RequestId;
  }
}

function numberOf(requestId: RequestId): number {
  const number = requestId.slice(NUMBER_AT, NUMBER_AT + NUMBER_LENGTH);
  return timeOfPrefix(number.padStart(NUMBER_AT, '0')) ?? 0;
}
