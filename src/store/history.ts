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
