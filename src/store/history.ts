/** A message's history is kept as lines of JSON, so that an entry is added without reading the others. */
import type { HistoryEntry } from '../domain/delivery/settlement.ts';

export function formatHistory(entries: readonly HistoryEntry[]): string {
  let lines = '';
  for (const entry of entries) lines += `${JSON.stringify(entry)}\n`;
  return lines;
}

export function parseHistory(lines: string): HistoryEntry[] {
  return lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as HistoryEntry);
}

/** Ends before any carrier was asked, unless the history has another event of one. */
const UNASKED: ReadonlySet<HistoryEntry['event']> = new Set(['routed', 'postponed', 'optedOut', 'cancelled']);

/** The carrier of the last attempt; of what is still on its way, or waited in vain, the one that was chosen. */
export function carrierIn(entries: readonly HistoryEntry[]): string | undefined {
  const last = entries.at(-1);
  const isRefusedByUs = last?.event === 'refused' && last.carrier === undefined;
  const isUnasked = isRefusedByUs || last?.event === 'optedOut' || last?.event === 'cancelled';
  return entries.findLast(({ carrier, event }) => carrier !== undefined && !(isUnasked && UNASKED.has(event)))
    ?.carrier;
}
