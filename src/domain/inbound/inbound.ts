/** Messages that people send to a number of an account (MO): what one is, and whose it is. */
import type { AccountId, MsgKey } from '../ids.ts';
import type { EntryOf } from '../registry/registry.ts';
import { canonicalNumber } from '../request/phone-number.ts';
import { keywordOf, WHOLE_NUMBER } from '../text/keyword.ts';

export interface InboundMessage {
  readonly msgKey: MsgKey;
  /** Undefined if the number is nobody's: then it is kept for the operator. */
  readonly account: AccountId | undefined;
  readonly carrier: string;
  /** The number that was written to: as it is registered, or as the carrier gave it. */
  readonly to: string;
  /** The handset. */
  readonly from: string;
  /** Undefined when its time is over, or the sender was erased. */
  readonly text: string | undefined;
  /** The keyword that decided whose it is; `*` for the whole number. */
  readonly keyword: string | undefined;
  readonly receivedAt: number;
}

/** An inbound message that is somebody's, on its way to what is done with it. */
export type OwnedInbound = InboundMessage & { readonly account: AccountId; readonly text: string };

/**
 * Takes the sender off the account's list where the text says so; true if it did. Called until it has returned, so the same
 * message may come twice.
 */
export type OptOutByKeyword = (mo: OwnedInbound) => Promise<boolean>;

export type InboundNumber = EntryOf<'inboundNumber'>;

export interface RegisteredNumber {
  readonly account: AccountId;
  readonly entry: InboundNumber;
}

/** Every way in which the number that a carrier names may be registered, the likeliest first. */
export function registeredWritings(to: string): string[] {
  const digits = to.replace(/\D/g, '').replace(/^00(?=82)/, '');
  const rest = /^82(\d+)$/.exec(digits)?.[1];
  const writings = rest === undefined ? [digits] : [`0${rest.replace(/^0/, '')}`, rest, digits];
  return writings.filter(writing => /^\d{3,15}$/.test(writing));
}

/** Whose message it is. A keyword wins over the whole number. */
export function ownerOf(
  registered: readonly RegisteredNumber[],
  to: string,
  text: string,
): RegisteredNumber | undefined {
  const keyword = keywordOf(text);
  for (const writing of registeredWritings(to)) {
    const ofNumber = registered.filter(({ entry }) => entry.number === writing);
    const found =
      ofNumber.find(({ entry }) => entry.keyword === keyword) ??
      ofNumber.find(({ entry }) => entry.keyword === WHOLE_NUMBER);
    if (found) return found;
  }
  return undefined;
}

/** The handset as recipients of messages are written: `01012345678`, or `+…` abroad. What is no number stays as it is. */
export function handsetOf(from: string): string {
  const canonical = canonicalNumber(from);
  if (canonical === undefined) return from;
  return canonical.startsWith('+82') ? `0${canonical.slice(3)}` : canonical;
}
/** The place of an inbound message among webhook deliveries, which name a step. No flow is so long. */
export const INBOUND_STEP = 999;
