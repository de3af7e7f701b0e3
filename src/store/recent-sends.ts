/** Whether a send repeats an earlier one, the same for every engine. */
import type { RecentSend, RecentSendOrder } from './port/recent-send-store.ts';
import type { AnyRow } from './records/columns.ts';
import type { Records } from './records/records.ts';

/** A send that was noted so long ago and is not stored never will be: its process ended in between. */
const ABANDONED_MS = 60_000;

/** A send under every name that an earlier one may have; the first is the one of today. */
export interface NamedSend extends RecentSend {
  readonly hashes: readonly string[];
}

/** Of several with the same text to the same recipient in one request, the first counts. */
export function named(sends: readonly RecentSend[], records: Records): Map<string, NamedSend> {
  const first = new Map<string, NamedSend>();
  for (const send of sends) {
    const hashes = records.sendHashes(send.fingerprint);
    const [hash = ''] = hashes;
    if (!first.has(hash)) first.set(hash, { ...send, hashes });
  }
  return first;
}

/**
 * What becomes of a send for which there is a row: it repeats that one, it takes its place, or it is the same request again,
 * which is stored (`isSame`) or may be about to be (`displaces`). `row` has the state of its message, `is_stored` and `has_failed`.
 */
export function judge(
  row: AnyRow,
  { tag, now, windowMs }: RecentSendOrder,
): 'repeats' | 'takesPlace' | 'isSame' | 'displaces' {
  const age = now - Number(row.sent_at);
  const isStored = Number(row.is_stored) === 1;
  // The clock may have been set back by more than the window.
  if (Math.abs(age) >= windowMs || Number(row.has_failed) === 1) return 'takesPlace';
  if (row.tag === tag) return isStored ? 'isSame' : 'displaces';
  return isStored || age < ABANDONED_MS ? 'repeats' : 'takesPlace';
}
