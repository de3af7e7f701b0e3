/** Whether a send repeats an earlier one, the same for every engine. */
import type { MsgKey } from '../domain/ids.ts';
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

/** The messages of one note: several where calls of one tag run at the same time. At most one of them will be stored. */
export function keysIn(row: AnyRow): string[] {
  return String(row.msg_key)
    .split(',')
    .filter(key => key !== '');
}

export function keysWithout(row: AnyRow, msgKey: MsgKey | undefined): string {
  return keysIn(row)
    .filter(key => key !== msgKey)
    .join();
}

/**
 * What becomes of a send for which there are notes, under any of its names: it repeats one of them, it is the same request again,
 * which is stored already, or it is noted with these keys, its own and those of calls of its tag that may be about to be stored.
 * `states` has the messages that are stored.
 */
export function judge(
  { msgKey }: RecentSend,
  rows: readonly AnyRow[],
  order: RecentSendOrder,
  states: ReadonlyMap<string, unknown>,
): 'repeats' | 'isSame' | { readonly keys: string } {
  const verdicts = rows.map(row => verdictOn(row, order, states));
  if (verdicts.includes('repeats')) return 'repeats';
  if (verdicts.includes('isSame')) return 'isSame';
  const joined = rows.filter((_, index) => verdicts[index] === 'joins').flatMap(keysIn);
  return { keys: [...new Set([...joined, msgKey])].join() };
}

function verdictOn(
  row: AnyRow,
  { tag, now, windowMs }: RecentSendOrder,
  states: ReadonlyMap<string, unknown>,
): 'repeats' | 'isSame' | 'joins' | 'isOver' {
  const keys = keysIn(row);
  const stored = keys.find(key => states.has(key));
  const age = now - Number(row.sent_at);
  // The clock may have been set back by more than the window.
  if (keys.length === 0 || Math.abs(age) >= windowMs) return 'isOver';
  if (stored !== undefined && states.get(stored) === 'failed') return 'isOver';
  if (row.tag === tag) return stored === undefined ? 'joins' : 'isSame';
  return stored !== undefined || age < ABANDONED_MS ? 'repeats' : 'isOver';
}
