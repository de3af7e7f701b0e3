/** Parts of long inbound messages, the same for every engine: which is a repeat, and when all are there. */
import type { NewInboundPart, StoredInboundPart } from './port/inbound-store.ts';

/** A part as it is found beside a new one: of the same carrier, sender, number and reference. */
export interface FoundPart extends StoredInboundPart {
  readonly isJoined: boolean;
  readonly isConfirmed: boolean;
}

export interface PartVerdict {
  /** The same part, stored before: the carrier repeats it. */
  readonly repeatOf: FoundPart | undefined;
  /** Parts of an earlier message that had the same reference. They are not joined with this one. */
  readonly left: readonly FoundPart[];
  /** Parts of the same message. */
  readonly others: readonly FoundPart[];
}

/**
 * Our choice: a reference of one octet names no second message of a sender within this time. Parts of one message come within
 * seconds; the rest may have waited while a carrier was not connected, which is tried again every ten minutes at the latest.
 */
const SHORT_REFERENCE_MS = 900_000;
/** References of one octet in a user data header, as carriers name them (carriers/smpp/inbound.ts). */
const SHORT_REFERENCE = /^udh \d+$/;

export function judgePart(part: NewInboundPart, found: readonly FoundPart[]): PartVerdict {
  const repeatOf = found.find(
    other => other.part === part.part && other.octets === part.octets && !other.isConfirmed,
  );
  const open = found.filter(({ isJoined }) => !isJoined);
  if (repeatOf) return { repeatOf, left: [], others: repeatOf.isJoined ? [] : open };
  const isSame = open.every(
    other => other.total === part.total && other.alphabet === part.alphabet && other.part !== part.part,
  );
  const newest = Math.max(...open.map(({ receivedAt }) => receivedAt));
  const isReused = SHORT_REFERENCE.test(part.reference) && part.receivedAt - newest > SHORT_REFERENCE_MS;
  return isSame && !isReused
    ? { repeatOf: undefined, left: [], others: open }
    : { repeatOf: undefined, left: open, others: [] };
}

/** All parts in their order; undefined while one is missing. */
export function completeParts(parts: readonly StoredInboundPart[]): readonly StoredInboundPart[] | undefined {
  const total = parts[0]?.total ?? 0;
  const sorted = parts.toSorted((a, b) => a.part - b.part);
  return total > 0 && sorted.length === total && sorted.every(({ part }, index) => part === index + 1)
    ? sorted
    : undefined;
}

/** Rows in the order of their messages, as lists. */
export function byMessage(parts: readonly StoredInboundPart[]): (readonly StoredInboundPart[])[] {
  const messages = new Map<string, StoredInboundPart[]>();
  for (const part of parts) {
    const key = JSON.stringify([part.carrier, part.to, part.from, part.reference]);
    const known = messages.get(key);
    if (known) known.push(part);
    else messages.set(key, [part]);
  }
  return [...messages.values()].map(list => list.toSorted((a, b) => a.part - b.part));
}

/** The new reference of parts of an earlier message: no later part is found beside them. */
export function leftReference(left: readonly FoundPart[]): string {
  return `${left[0]?.reference} left ${left[0]?.id}`;
}

/** Rules that are due later than this were put off before the wall clock was set back. Those of an unreadable message wait this long. */
export const RULES_LEAP_MS = 600_000;

/** `waiting` of a message that could not be read when it was to be handed out. Each start tries it again. */
export const WAITS_ASIDE = 2;
